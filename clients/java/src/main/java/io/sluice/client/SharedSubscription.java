package io.sluice.client;

import java.util.Map;

/**
 * Shared subscription of a topic or pattern: its consumers, at all nodes, share the messages. It
 * exists while it has a consumer.
 */
public final class SharedSubscription {
  private final SluiceClient client;
  private final Map<String, Object> source;

  SharedSubscription(SluiceClient client, String topic, String name) {
    this.client = client;
    source = SluiceClient.subscriptionMembers(topic, "shared", name);
  }

  /** Consumes one message after the other; the first consumer creates the subscription. */
  public Consumer consume(DeliveryHandler handler) {
    return consume(handler, ConsumeOptions.DEFAULT);
  }

  /** Consumes with options. */
  public Consumer consume(DeliveryHandler handler, ConsumeOptions options) {
    return client.consume(source, handler, options);
  }
}
