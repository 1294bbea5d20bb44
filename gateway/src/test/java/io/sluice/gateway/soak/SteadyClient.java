package io.sluice.gateway.soak;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A client that stays from the first message to the last and misses none. Its thread reads; the
 * feed's thread tells it what to expect.
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

  /** A message is about to be published. */
  void expect(String topic, int payloadLength) {
    long copies = subscriptions.stream().filter(s -> TopicPattern.covers(s, topic)).count();
    expected.addAndGet(copies * Numbered.weight(payloadLength));
  }

  /** How much of what was published it has not read yet, in bytes; any thread. */
  long lag() {
    return expected.get() - received;
  }

  /** Nothing was lost, not even with a gap that says so. Once there is no {@link #lag}. */
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
          client.name() + ": told of " + client.gaps() + " gaps although the broker never left");
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
