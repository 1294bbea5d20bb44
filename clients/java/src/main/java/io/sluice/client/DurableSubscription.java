package io.sluice.client;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Durable subscription of a topic or pattern. The broker retains its messages from the first
 * consumer until it is deleted, also while no client consumes.
 */
public final class DurableSubscription extends NamedSubscription {
  DurableSubscription(SluiceClient client, String topic, String name) {
    super(client, topic, "durable", name);
  }

  /**
   * Removes the subscription with its messages. Fails with {@code subscription-in-use} while it has
   * consumers.
   */
  public CompletableFuture<Void> delete() {
    Map<String, Object> frame = SluiceClient.frame("delete");
    frame.putAll(source);
    return client.send(frame);
  }
}
