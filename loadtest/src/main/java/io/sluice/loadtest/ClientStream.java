package io.sluice.loadtest;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.LatencyLog;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What one client receives of one topic from its subscription to the end of its time. One client
 * calls it; the rest of the world reads it after {@link #hasLeft}.
 *
 * <p>Latency is open-loop: from the times that the feed and the broker wrote into the message to
 * its receipt, whatever the client was doing meanwhile.
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
  private final LatencyLog sinceSent = new LatencyLog();
  private final LatencyLog sinceBroker = new LatencyLog();
  private final List<Long> gaps = new ArrayList<>();
  private int second;
  private long unreadable;
  private int leastBytes = Integer.MAX_VALUE;
  private int mostBytes;
  private long connectingUnixNanos;
  private long subscribedUnixNanos;
  private volatile String refusal = "";
  private volatile boolean receiving;
  private volatile boolean left;

  ClientStream(int number, String topic, RunTime time, Progress progress) {
    this.number = number;
    this.topic = topic;
    this.time = time;
    this.progress = progress;
  }

  /** The client has begun to connect, or should have. */
  void onConnecting(long unixNanos) {
    connectingUnixNanos = unixNanos;
  }

  /** The answer to its subscription has come. */
  void onSubscribed(long nowUnixNanos) {
    subscribedUnixNanos = nowUnixNanos;
  }

  /** Takes a text frame; true if it is a message past the end of the client's time. */
  boolean onText(String frame, long nowUnixNanos) {
    if (ControlFrame.isOfType(frame, "message")) {
      return onMessage(FeedMessage.ofText(frame), nowUnixNanos);
    }
    onControl(frame, nowUnixNanos);
    return false;
  }

  /** Takes a binary frame; true if it is a message past the end of the client's time. */
  boolean onBinary(byte[] frame, long nowUnixNanos) {
    return onMessage(FeedMessage.ofBinary(frame, nowUnixNanos / NANOS_PER_MILLI), nowUnixNanos);
  }

  /** Takes any other frame. */
  void onControl(String frame, long nowUnixNanos) {
    if (ControlFrame.isOfType(frame, "gap")) {
      gaps.add(nowUnixNanos);
    } else if (ControlFrame.isOfType(frame, "error")) {
      refusal = frame;
    }
  }

  /** The client has gone; nothing more is taken. */
  void onLeft() {
    left = true;
  }

  int number() {
    return number;
  }

  String topic() {
    return topic;
  }

  /** The first message has come. */
  boolean isReceiving() {
    return receiving;
  }

  boolean hasLeft() {
    return left;
  }

  /** The gateway's latest error frame; empty if there was none. */
  String refusal() {
    return refusal;
  }

  SequenceCheck sequence() {
    return sequence;
  }

  LatencyLog sinceSent() {
    return sinceSent;
  }

  LatencyLog sinceBroker() {
    return sinceBroker;
  }

  /** When the gateway told gaps. */
  List<Long> gapUnixNanos() {
    return gaps;
  }

  /** Messages without a stamp. */
  long unreadable() {
    return unreadable;
  }

  /** The smallest payload; {@code Integer.MAX_VALUE} of none. */
  int leastBytes() {
    return leastBytes;
  }

  /** The largest payload; 0 of none. */
  int mostBytes() {
    return mostBytes;
  }

  /** From the start of the connection to the subscription's answer; negative if none came. */
  long connectMicros() {
    return subscribedUnixNanos == 0
        ? -1
        : (subscribedUnixNanos - connectingUnixNanos) / NANOS_PER_MICRO;
  }

  /** Whether the client's time is over, though no message told it so. */
  boolean endedBy(long unixNanos) {
    return time.endedBy(unixNanos);
  }

  /**
   * What it received, with the latencies of some seconds.
   *
   * @return null if nothing came in these seconds
   */
  ClientResult result(int fromSecond, int toSecond) {
    Histogram sent = sinceSent.between(fromSecond, toSecond);
    Histogram broker = sinceBroker.between(fromSecond, toSecond);
    if (sent.getTotalCount() == 0) {
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
        Latencies.of(sent, sinceSent.early(), sinceSent.leastMicros()),
        Latencies.of(broker, sinceBroker.early(), sinceBroker.leastMicros()));
  }

  private boolean onMessage(FeedMessage message, long nowUnixNanos) {
    receiving = true;
    if (message == null) {
      unreadable++;
    } else {
      take(message, nowUnixNanos);
    }
    return time.endedBy(nowUnixNanos);
  }

  private void take(FeedMessage message, long nowUnixNanos) {
    long before = sequence.lost();
    sequence.onNumber(message.stamp().sequence());
    progress.onLost(sequence.lost() - before);
    leastBytes = Math.min(leastBytes, message.payloadBytes());
    mostBytes = Math.max(mostBytes, message.payloadBytes());
    if (time.contains(nowUnixNanos)) {
      record(message, nowUnixNanos);
    }
  }

  private void record(FeedMessage message, long nowUnixNanos) {
    // The wall clock may be set back; a log's seconds only go on.
    second = Math.max(second, time.second(nowUnixNanos));
    long sent = Math.floorDiv(nowUnixNanos - message.stamp().unixNanos(), NANOS_PER_MICRO);
    long broker = nowUnixNanos / NANOS_PER_MICRO - message.brokerUnixMillis() * MICROS_PER_MILLI;
    sinceSent.record(second, sent);
    sinceBroker.record(second, broker);
    progress.onMessage(sent);
  }
}
