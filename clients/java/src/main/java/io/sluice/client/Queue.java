package io.sluice.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Queue of the broker. */
public final class Queue {
  private final SluiceClient client;
  private final Destination destination;

  Queue(SluiceClient client, String name) {
    this.client = client;
    destination = Destination.queue(name);
  }

  /** Returns the name. */
  public String name() {
    return destination.name();
  }

  /** Sends a message; otherwise like {@link SluiceClient#publish(String, Object)}. */
  public CompletableFuture<Void> publish(Object payload) {
    return publish(payload, PublishOptions.DEFAULT);
  }

  /** Sends a message with options. */
  public CompletableFuture<Void> publish(Object payload, PublishOptions options) {
    return client.publish(destination, payload, options);
  }

  /** Sends a request; otherwise like {@link SluiceClient#request(String, Object)}. */
  public CompletableFuture<Reply> request(Object payload) {
    return request(payload, SluiceClient.REQUEST_TIMEOUT, PublishOptions.DEFAULT);
  }

  /** Sends a request with a time limit and options. */
  public CompletableFuture<Reply> request(
      Object payload, Duration timeout, PublishOptions options) {
    return client.request(destination, payload, timeout, options);
  }

  /** Consumes one message after the other; each is acknowledged when its handler returns. */
  public Consumer consume(DeliveryHandler handler) {
    return consume(handler, ConsumeOptions.DEFAULT);
  }

  /** Consumes with a credit. */
  public Consumer consume(DeliveryHandler handler, int credit) {
    return consume(handler, ConsumeOptions.DEFAULT.credit(credit));
  }

  /**
   * Consumes messages in competition with the other consumers of the queue. An unsettled message is
   * delivered again when its connection has ended.
   */
  public Consumer consume(DeliveryHandler handler, ConsumeOptions options) {
    return client.consume(destination.member(), handler, options);
  }
}
