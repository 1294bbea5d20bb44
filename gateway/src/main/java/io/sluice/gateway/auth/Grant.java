package io.sluice.gateway.auth;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;

/**
 * What one principal may do. Immutable, for any thread.
 *
 * @param subscribe patterns of what it may subscribe to
 * @param publish patterns of what it may publish to
 */
public record Grant(List<String> subscribe, List<String> publish) {
  /** For nodes without rules: whatever the node serves. */
  public static final Grant EVERYTHING = new Grant(List.of(">"), List.of(">"));

  public Grant {
    subscribe = List.copyOf(subscribe);
    publish = List.copyOf(publish);
  }

  /** Whether everything that this topic or pattern stands for is granted. */
  public boolean maySubscribe(String topic) {
    return TopicPattern.anyCovers(subscribe, topic);
  }

  /** Whether messages may be sent to this topic. */
  public boolean mayPublish(String topic) {
    return TopicPattern.anyCovers(publish, topic);
  }
}
