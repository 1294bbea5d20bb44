package io.sluice.gateway;

import static org.awaitility.Awaitility.await;

import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Texts that a JMS client publishes to a topic, the first ones of its log at a root. Any thread.
 */
public final class JmsFlow implements MessageFlow {
  private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final TestPublisher publisher;
  private final String topic;
  private final int count;
  private final AtomicInteger sent = new AtomicInteger();

  public JmsFlow(TestPublisher publisher, String topic, int count) {
    this.publisher = publisher;
    this.topic = topic;
    this.count = count;
  }

  @Override
  public void start() {
    new Thread(this::run, "jms-flow").start();
  }

  private void run() {
    try {
      while (sent.get() < count) {
        publisher.text(topic, String.valueOf(sent.incrementAndGet()));
        LockSupport.parkNanos(INTERVAL_NS);
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until so many messages were sent. */
  public void awaitSent(int messages) {
    await().atMost(TIMEOUT).until(() -> sent.get() >= messages);
  }

  @Override
  public List<String> awaitStored() {
    await().atMost(TIMEOUT).until(() -> stored() >= 0);
    return IntStream.rangeClosed(1, count).mapToObj("%012x0000"::formatted).toList();
  }

  @Override
  public int stored() {
    return sent.get() < count ? -1 : count;
  }

  @Override
  public void stop() {
    sent.set(count);
  }
}
