package io.sluice.client;

import java.util.Collections;
import java.util.Map;

/**
 * Topic or queue of the broker.
 *
 * @param isQueue whether it is a queue
 * @param name name at the broker
 */
public record Destination(boolean isQueue, String name) {
  /** Checks the name. */
  public Destination {
    SubscribeOptions.check(!name.isEmpty(), "name of a topic or queue must not be empty");
  }

  /** Returns a topic. */
  public static Destination topic(String name) {
    return new Destination(false, name);
  }

  /** Returns a queue. */
  public static Destination queue(String name) {
    return new Destination(true, name);
  }

  Map<String, Object> member() {
    return Collections.singletonMap(isQueue ? "queue" : "topic", name);
  }
}
