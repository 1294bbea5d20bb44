package io.sluice.cluster;

import java.util.List;

/**
 * Active topics of the other nodes. Immutable, for any thread.
 *
 * @param names distinct names, the oldest first, up to the configured limit
 * @param leftOut number of names beyond that limit, of this node and of the others
 */
public record SharedTopics(List<String> names, int leftOut) {
  public static final SharedTopics NONE = new SharedTopics(List.of(), 0);

  /** Copies the names. */
  public SharedTopics {
    names = List.copyOf(names);
  }
}
