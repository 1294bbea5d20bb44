package io.sluice.gateway.auth;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;

/**
 * Topic permissions of one principal. Immutable, for any thread.
 *
 * @param subscribe patterns of topics that it may subscribe to
 * @param publish patterns of topics that it may publish to
 * @param common further permissions, one object shared by many clients; null if there are none
 */
public record Grant(List<String> subscribe, List<String> publish, Grant common) {
  /** Grant of all topics that the node serves, for nodes without rules. */
  public static final Grant EVERYTHING = new Grant(List.of(">"), List.of(">"));

  public Grant {
    subscribe = List.copyOf(subscribe);
    publish = List.copyOf(publish);
  }

  /** Creates a grant without a shared part. */
  public Grant(List<String> subscribe, List<String> publish) {
    this(subscribe, publish, null);
  }

  /** Returns whether every topic that this topic or pattern matches is granted. */
  public boolean maySubscribe(String topic) {
    return TopicPattern.anyCovers(subscribe, topic) || common != null && common.maySubscribe(topic);
  }

  /** Returns whether publishing to this topic is granted. */
  public boolean mayPublish(String topic) {
    return TopicPattern.anyCovers(publish, topic) || common != null && common.mayPublish(topic);
  }

  /** Returns the number of patterns, including the shared ones. */
  int size() {
    return subscribe.size() + publish.size() + (common == null ? 0 : common.size());
  }
}
