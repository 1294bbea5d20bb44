package io.sluice.loadtest;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.LatencyLog;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Messages of one topic received by one client during its time. The client's thread writes it;
 * other threads may read it after {@link #hasDisconnected}.
 *
 * <p>Latency is open-loop: from the message's due time, which the feed writes into it, to its
 * receipt. It includes delays of the feed and within the client. The latency since the broker's
 * timestamp does not include those of the feed.
 */
final class ClientStream {
  private static final int NANOS_PER_MICRO = 1000;
  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final int MICROS_PER_MILLI = 1000;

  private final int number;
  private final String topic;
  private final RunTime time;
  private final Progress progress;
  private final SequenceCheck sequence = new SequenceCheck();
  private final LatencyLog sinceDue = new LatencyLog();
  private final LatencyLog sinceBroker = new LatencyLog();
  private final List<Long> gaps = new ArrayList<>();
  private int second;
  private long unreadable;
  private int minBytes = Integer.MAX_VALUE;
  private int maxBytes;
  private long connectingUnixNanos;
  private long subscribedUnixNanos;
  private volatile String errorFrame = "";
  private volatile boolean receiving;
  private volatile boolean disconnected;

  ClientStream(int number, String topic, RunTime time, Progress progress) {
    this.number = number;
    this.topic = topic;
    this.time = time;
    this.progress = progress;
  }

  /** Handles the actual or scheduled start of the connection. */
  void onConnecting(long unixNanos) {
    connectingUnixNanos = unixNanos;
  }

  /** Handles the confirmation of the subscription. */
  void onSubscribed(long nowUnixNanos) {
    subscribedUnixNanos = nowUnixNanos;
  }

  /**
   * Handles a text frame.
   *
   * @return whether it is a message after the end of the client's time
   */
  boolean onText(String frame, long nowUnixNanos) {
    if (ControlFrame.isOfType(frame, "message")) {
      return onMessage(FeedMessage.ofText(frame), nowUnixNanos);
    }
    onControl(frame, nowUnixNanos);
    return false;
  }

  /**
   * Handles a binary frame.
   *
   * @return whether it is a message after the end of the client's time
   */
  boolean onBinary(byte[] frame, long nowUnixNanos) {
    return onMessage(FeedMessage.ofBinary(frame, nowUnixNanos / NANOS_PER_MILLI), nowUnixNanos);
  }

  /** Handles a frame other than a message. */
  void onControl(String frame, long nowUnixNanos) {
    if (ControlFrame.isOfType(frame, "gap")) {
      gaps.add(nowUnixNanos);
    } else if (ControlFrame.isOfType(frame, "error")) {
      errorFrame = frame;
    }
  }

  /** Handles the client's disconnection. No more frames follow. */
  void onDisconnected() {
    disconnected = true;
  }

  int number() {
    return number;
  }

  String topic() {
    return topic;
  }

  /** Returns whether a message has been received. */
  boolean isReceiving() {
    return receiving;
  }

  boolean hasDisconnected() {
    return disconnected;
  }

  /** Returns the gateway's latest error frame, or an empty string. */
  String errorFrame() {
    return errorFrame;
  }

  SequenceCheck sequence() {
    return sequence;
  }

  LatencyLog sinceDue() {
    return sinceDue;
  }

  LatencyLog sinceBroker() {
    return sinceBroker;
  }

  /** Returns the times of gap frames. */
  List<Long> gapUnixNanos() {
    return gaps;
  }

  /** Returns the number of messages without a stamp. */
  long unreadable() {
    return unreadable;
  }

  /** Returns the size of the smallest payload, or {@code Integer.MAX_VALUE} without messages. */
  int minBytes() {
    return minBytes;
  }

  /** Returns the size of the largest payload, or 0 without messages. */
  int maxBytes() {
    return maxBytes;
  }

  /**
   * Returns the time from the start of the connection to the subscription's confirmation, or a
   * negative number without one.
   */
  long connectMicros() {
    return subscribedUnixNanos == 0
        ? -1
        : (subscribedUnixNanos - connectingUnixNanos) / NANOS_PER_MICRO;
  }

  /** Returns whether the client's time has ended, even if no message has been received since. */
  boolean hasEndedBy(long unixNanos) {
    return time.hasEndedBy(unixNanos);
  }

  /**
   * Returns the client's counters, and the latencies of a range of seconds.
   *
   * @return null without messages in these seconds
   */
  ClientResult result(int fromSecond, int toSecond) {
    Histogram due = sinceDue.between(fromSecond, toSecond);
    Histogram broker = sinceBroker.between(fromSecond, toSecond);
    if (due.getTotalCount() == 0) {
      return null;
    }
    return new ClientResult(
        number,
        topic,
        sequence.received(),
        sequence.lost(),
        sequence.duplicates(),
        sequence.reordered(),
        gaps.size(),
        unreadable,
        Latencies.of(due, sinceDue.early(), sinceDue.leastMicros()),
        Latencies.of(broker, sinceBroker.early(), sinceBroker.leastMicros()));
  }

  private boolean onMessage(FeedMessage message, long nowUnixNanos) {
    receiving = true;
    if (message == null) {
      unreadable++;
    } else {
      process(message, nowUnixNanos);
    }
    return time.hasEndedBy(nowUnixNanos);
  }

  private void process(FeedMessage message, long nowUnixNanos) {
    long before = sequence.lost();
    sequence.onNumber(message.stamp().sequence());
    progress.onLost(sequence.lost() - before);
    minBytes = Math.min(minBytes, message.payloadBytes());
    maxBytes = Math.max(maxBytes, message.payloadBytes());
    if (time.contains(nowUnixNanos)) {
      record(message, nowUnixNanos);
    }
  }

  private void record(FeedMessage message, long nowUnixNanos) {
    // The wall clock may be set back, but a log's seconds must not decrease.
    second = Math.max(second, time.second(nowUnixNanos));
    long due = Math.floorDiv(nowUnixNanos - message.stamp().unixNanos(), NANOS_PER_MICRO);
    long broker = nowUnixNanos / NANOS_PER_MICRO - message.brokerUnixMillis() * MICROS_PER_MILLI;
    sinceDue.record(second, due);
    sinceBroker.record(second, broker);
    progress.onMessage(due);
  }
}
