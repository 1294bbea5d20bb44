package io.sluice.gateway.rewriting;

import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Publisher of numbered messages, some of them with another priority or a delay. It publishes one
 * burst per request. One thread publishes; any thread may call the other methods.
 */
final class Numbers {
  /** Property with an id that no provider rewrites. */
  static final String UID = "uid";

  private static final int MAX_BURST = 9;
  private static final int ODDITY = 5;
  private static final int MAX_DELAY_MS = 300;
  private static final int PRIORITIES = 10;

  private final int index;
  private final TestPublisher publisher;
  private final String topic;
  private final boolean odd;
  private final boolean delays;
  private final Random random;
  private final Semaphore requests = new Semaphore(0);
  private final AtomicInteger started = new AtomicInteger();

  /** Number of the latest message that arrives in order; 0 before the first one. */
  private volatile int ordered;

  private volatile boolean ended;

  /**
   * @param odd whether some messages have another priority, or a delay
   * @param provider provider of the publisher, which may not support delays
   */
  Numbers(
      int index, TestPublisher publisher, String topic, boolean odd, String provider, long seed) {
    this.index = index;
    this.publisher = publisher;
    this.topic = topic;
    this.odd = odd;
    this.delays = provider.equals("artemis");
    this.random = new Random(seed + index);
  }

  /**
   * Requests a burst.
   *
   * @return a number that the burst exceeds, also with a message that arrives in order
   */
  int request() {
    int number = started.get();
    requests.release();
    return number;
  }

  /** Ends {@link #run} after the requested bursts. */
  void end() {
    ended = true;
    requests.release();
  }

  /** Permits to {@link #run} again. */
  void begin() {
    ended = false;
  }

  /** Publishes the requested bursts until the end. */
  Void run() throws JMSException, InterruptedException {
    while (true) {
      requests.acquire();
      if (ended && requests.availablePermits() == 0) {
        return null;
      }
      for (int left = random.nextInt(MAX_BURST); left > 0; left--) {
        send(odd && random.nextInt(ODDITY) == 0);
      }
      send(false);
    }
  }

  // The payload of an ordered message names the preceding one.
  private void send(boolean isOdd) throws JMSException {
    int number = started.incrementAndGet();
    Message message =
        publisher.session().createTextMessage(index + " " + number + (isOdd ? "" : " " + ordered));
    message.setStringProperty(UID, index + "-" + number);
    if (isOdd) {
      boolean delayed = delays && random.nextBoolean();
      int priority = delayed ? Message.DEFAULT_PRIORITY : random.nextInt(PRIORITIES);
      publisher.send(topic, message, priority, delayed ? random.nextInt(MAX_DELAY_MS) : 0);
    } else {
      ordered = number;
      publisher.send(topic, message);
    }
  }

  /** Returns the number of the latest message, which may not be accepted yet. */
  int started() {
    return started.get();
  }
}
