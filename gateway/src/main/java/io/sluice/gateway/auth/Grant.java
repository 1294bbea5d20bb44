package io.sluice.gateway.auth;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;

/**
 * What one principal may do. Immutable, for any thread.
 *
 * @param subscribe patterns of what it may subscribe to
 * @param publish patterns of what it may publish to
 * @param common what it may do besides, as others may, too; null if there is nothing. A node has
 *     few of these for many clients
 */
public record Grant(List<String> subscribe, List<String> publish, Grant common) {
  /** For nodes without rules: whatever the node serves. */
  public static final Grant EVERYTHING = new Grant(List.of(">"), List.of(">"));

  public Grant {
    subscribe = List.copyOf(subscribe);
    publish = List.copyOf(publish);
  }

  /** One with nothing in common with others. */
  public Grant(List<String> subscribe, List<String> publish) {
    this(subscribe, publish, null);
  }

  /** Whether everything that this topic or pattern stands for is granted. */
  public boolean maySubscribe(String topic) {
    return TopicPattern.anyCovers(subscribe, topic) || common != null && common.maySubscribe(topic);
  }

  /** Whether messages may be sent to this topic. */
  public boolean mayPublish(String topic) {
    return TopicPattern.anyCovers(publish, topic) || common != null && common.mayPublish(topic);
  }

  /** How many patterns it consists of. */
  int size() {
    return subscribe.size() + publish.size() + (common == null ? 0 : common.size());
  }
}
