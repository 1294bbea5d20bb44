package io.sluice.gateway.overload;

import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Publisher of numbered messages to several topics at a fixed rate, which records the time at which
 * the broker had accepted them. One thread publishes; any thread may read.
 */
final class NumberedPublisher implements AutoCloseable {
  /** A send returns only after the broker's reply, which limits the time of acceptance. */
  private static final String SYNCHRONOUS_CLASSIC = "?jms.alwaysSyncSend=true";

  private static final String SYNCHRONOUS_ARTEMIS = "?blockOnNonDurableSend=true";

  private static final String PREFIX = "SEQ=";

  private final TestPublisher publisher;
  private final List<String> topics;
  private final long intervalNs;
  private final String filler;
  private final AcceptTimes[] accepted;
  private final Thread thread;
  private volatile boolean held;
  private volatile boolean stopped;
  private volatile Throwable failure;

  /** Times at which the broker had accepted a topic's messages, for the latest numbers. */
  private static final class AcceptTimes {
    /** A power of two; older numbers are discarded. */
    private static final int KEPT = 1 << 17;

    private final AtomicLongArray timesMs = new AtomicLongArray(KEPT);
    private final AtomicLong last = new AtomicLong();

    void add(long timeMs) {
      timesMs.set((int) (last.get() + 1) & KEPT - 1, timeMs);
      last.incrementAndGet();
    }

    long of(long number) {
      long latest = last.get();
      return number > latest || number <= latest - KEPT
          ? Long.MAX_VALUE
          : timesMs.get((int) number & KEPT - 1);
    }
  }

  /**
   * Starts publishing.
   *
   * @param interval between two messages of one topic
   * @param wireBytes approximate size of a message between broker and node
   */
  NumberedPublisher(
      String provider, String url, List<String> topics, Duration interval, int wireBytes)
      throws JMSException {
    boolean classic = provider.equals("classic");
    this.publisher =
        new TestPublisher(provider, url + (classic ? SYNCHRONOUS_CLASSIC : SYNCHRONOUS_ARTEMIS));
    this.topics = List.copyOf(topics);
    this.intervalNs = interval.toNanos();
    // Artemis sends two bytes per character of a text.
    this.filler = " " + "x".repeat(classic ? wireBytes : wireBytes / 2);
    this.accepted = new AcceptTimes[topics.size()];
    for (int i = 0; i < accepted.length; i++) {
      accepted[i] = new AcceptTimes();
    }
    this.thread = new Thread(this::run, "numbered-publisher");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the number in a payload. */
  static long number(String payload) {
    int end = payload.indexOf(' ');
    if (!payload.startsWith(PREFIX) || end < 0) {
      throw new AssertionError("not a numbered message: " + payload);
    }
    return Long.parseLong(payload.substring(PREFIX.length(), end));
  }

  private void run() {
    try {
      long dueNs = System.nanoTime();
      for (long number = 1; !stopped; number++) {
        dueNs = awaitDue(dueNs + intervalNs);
        for (int i = 0; i < accepted.length; i++) {
          publisher.text(topics.get(i), PREFIX + number + filler);
          accepted[i].add(System.currentTimeMillis());
        }
      }
    } catch (JMSException | RuntimeException e) {
      failure = e;
    }
  }

  /**
   * Waits until a message is due and publishing is not paused. Returns the time at which it was
   * due.
   */
  private long awaitDue(long dueNs) {
    for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    if (!held) {
      return dueNs;
    }
    while (held && !stopped) {
      LockSupport.parkNanos(intervalNs);
    }
    return System.nanoTime();
  }

  /** Pauses or resumes publishing; skipped messages are not sent later. */
  void hold(boolean hold) {
    held = hold;
  }

  /** Returns the number of the latest message of a topic that the broker has accepted. */
  long last(String topic) {
    return accepted[topics.indexOf(topic)].last.get();
  }

  /**
   * Returns a time before which the broker had accepted a message: the time right after its send
   * returned; {@link Long#MAX_VALUE} if it has not returned yet.
   */
  long acceptedMs(String topic, long number) {
    return accepted[topics.indexOf(topic)].of(number);
  }

  List<String> topics() {
    return topics;
  }

  /** Ends publishing; returns when the last message is accepted. */
  void stop() {
    stopped = true;
    try {
      thread.join(TimeUnit.MINUTES.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
    if (failure != null) {
      throw new AssertionError("the publisher failed", failure);
    }
  }

  @Override
  public void close() throws JMSException {
    stopped = true;
    publisher.close();
  }
}
