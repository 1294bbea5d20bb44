package io.sluice.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** Subscription at the broker, whose consumers share its messages. */
public abstract sealed class NamedSubscription permits DurableSubscription, SharedSubscription {
  final SluiceClient client;
  final Map<String, Object> source;

  NamedSubscription(SluiceClient client, String topic, String kind, String name) {
    this.client = client;
    source = new LinkedHashMap<>();
    source.put("topic", topic);
    source.put(kind, name);
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
