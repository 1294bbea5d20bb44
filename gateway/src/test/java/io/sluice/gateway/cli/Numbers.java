package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Publisher of numbered messages to its topics in turn, which counts those that the broker
 * accepted. Each message contains the number of the last accepted one: a client without that number
 * has missed a message. It continues after an outage of the broker; rejected messages are not sent
 * again.
 */
public final class Numbers implements AutoCloseable {
  // Otherwise a message that is not persistent is sent without an answer.
  private static final String SYNCHRONOUS_CLASSIC = "?jms.alwaysSyncSend=true";
  private static final String SYNCHRONOUS_ARTEMIS = "?blockOnNonDurableSend=true";

  private final String provider;
  private final String url;
  private final List<String> topics;
  private final boolean persistent;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final long[] sent;
  private final AtomicLongArray accepted;
  private TestPublisher publisher;
  private int turn;

  /**
   * Begins at once.
   *
   * @param url the broker's, without options
   * @param topics their numbers begin with 1
   * @param interval from one message to the next
   */
  public Numbers(String provider, String url, List<String> topics, Duration interval) {
    this(provider, url, topics, interval, false);
  }

  private Numbers(
      String provider, String url, List<String> topics, Duration interval, boolean persistent) {
    this.provider = provider;
    this.url = url + (provider.equals("classic") ? SYNCHRONOUS_CLASSIC : SYNCHRONOUS_ARTEMIS);
    this.topics = List.copyOf(topics);
    this.persistent = persistent;
    this.sent = new long[topics.size()];
    this.accepted = new AtomicLongArray(topics.size());
    clock.scheduleWithFixedDelay(this::publish, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** The same with messages that the broker keeps over a restart. */
  static Numbers persistent(String provider, String url, List<String> topics, Duration interval) {
    return new Numbers(provider, url, topics, interval, true);
  }

  private void publish() {
    int topic = turn;
    turn = (turn + 1) % topics.size();
    try {
      if (publisher == null) {
        publisher = connect();
      }
      long number = ++sent[topic];
      publisher.text(topics.get(topic), "SEQ=%d AFTER=%d".formatted(number, accepted.get(topic)));
      accepted.set(topic, number);
    } catch (JMSException e) {
      giveUpConnection();
    }
  }

  private TestPublisher connect() throws JMSException {
    TestPublisher connected = new TestPublisher(provider, url);
    return persistent ? connected.persistent() : connected;
  }

  private void giveUpConnection() {
    if (publisher != null) {
      close(publisher);
      publisher = null;
    }
  }

  private static void close(TestPublisher publisher) {
    try {
      publisher.close();
    } catch (JMSException e) {
      // it was broken, which is why it is closed
    }
  }

  /** The numbers of the latest messages that the broker has taken, in the order of the topics. */
  public List<Long> accepted() {
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < accepted.length(); i++) {
      numbers.add(accepted.get(i));
    }
    return numbers;
  }

  /** Ends, and returns the last numbers of all. */
  public List<Long> stop() {
    clock.shutdown();
    awaitEnd();
    return accepted();
  }

  private void awaitEnd() {
    try {
      assertThat(clock.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
    awaitEnd();
    giveUpConnection();
  }
}
