package io.sluice.client;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Durable subscription of a topic or pattern. The broker retains its messages from the first
 * consumer until it is deleted, also while no client consumes.
 */
public final class DurableSubscription {
  private final SluiceClient client;
  private final Map<String, Object> source;

  DurableSubscription(SluiceClient client, String topic, String name) {
    this.client = client;
    source = SluiceClient.subscriptionMembers(topic, "durable", name);
  }

  /** Consumes one message after the other; the first consumer creates the subscription. */
  public Consumer consume(DeliveryHandler handler) {
    return consume(handler, ConsumeOptions.DEFAULT);
  }

  /** Consumes with options. */
  public Consumer consume(DeliveryHandler handler, ConsumeOptions options) {
    return client.consume(source, handler, options);
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
