package io.sluice.client;

/**
 * Shared subscription of a topic or pattern: its consumers, at all nodes, share the messages. It
 * exists while it has a consumer.
 */
public final class SharedSubscription extends NamedSubscription {
  SharedSubscription(SluiceClient client, String topic, String name) {
    super(client, topic, "shared", name);
  }
}
