package io.sluice.gateway.soak;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Client that is connected during the whole run and must not miss a message. One thread reads; the
 * feed's thread calls {@link #expect}.
 */
final class SteadyClient implements Runnable, AutoCloseable {
  private final CheckedClient client;
  private final List<String> subscriptions;
  private final AtomicLong expected = new AtomicLong();
  private volatile long received;
  private volatile boolean closing;

  SteadyClient(CheckedClient client, List<String> subscriptions) {
    this.client = client;
    this.subscriptions = subscriptions;
    subscriptions.forEach(client::subscribe);
  }

  List<String> subscriptions() {
    return subscriptions;
  }

  @Override
  public void run() {
    try {
      while (!closing) {
        client.read();
        received = client.weight();
      }
    } catch (AssertionError e) {
      if (!closing) {
        throw e;
      }
    }
  }

  /** Registers a message that is about to be published. */
  void expect(String topic, int payloadLength) {
    long copies = subscriptions.stream().filter(s -> TopicPattern.covers(s, topic)).count();
    expected.addAndGet(copies * Numbered.weight(payloadLength));
  }

  /** Returns the number of published bytes that it has not read yet. Any thread. */
  long lag() {
    return expected.get() - received;
  }

  /**
   * Asserts that no message was lost and no gap was reported. To be called when {@link #lag} is 0.
   */
  void assertComplete(NumberedFeed feed) {
    for (String subscription : subscriptions) {
      for (String topic : NumberedFeed.TOPICS) {
        if (TopicPattern.covers(subscription, topic)) {
          check(subscription, topic, feed.published(topic));
        }
      }
    }
    if (client.gaps() > 0) {
      throw new AssertionError(
          client.name()
              + ": received "
              + client.gaps()
              + " gaps although the broker was never lost");
    }
  }

  private void check(String subscription, String topic, long published) {
    long last = client.last(subscription, topic);
    if (last != published) {
      throw new AssertionError(
          "%s: subscription %s, topic %s ends with number %d of %d"
              .formatted(client.name(), subscription, topic, last, published));
    }
  }

  long messages() {
    return client.messages();
  }

  @Override
  public void close() {
    closing = true;
    client.close();
  }
}
