package io.sluice.loadtest;

import org.HdrHistogram.Histogram;

/**
 * What one client receives of one topic between its subscription and the end of the run. Not
 * thread-safe: one client calls it, and the crowd reads it after the client's end.
 *
 * <p>Latency is open-loop: from the time that the feed wrote into the payload to the receipt, on
 * the clock of one machine. It is taken only within the span, in which all clients are connected.
 */
final class ClientStream {
  private static final int DIGITS = 3;
  private static final int NANOS_PER_MICRO = 1000;

  private final Span span;
  private final SequenceCheck sequence = new SequenceCheck();
  private final Histogram latencyMicros;
  private long skewed;
  private long gaps;
  private long unreadable;

  /**
   * A stream at its beginning.
   *
   * @param measured whether its latencies are kept, or only its numbers checked
   */
  ClientStream(Span span, boolean measured) {
    this.span = span;
    this.latencyMicros = measured ? new Histogram(DIGITS) : null;
  }

  /** Takes a text frame; true if it is a message past the end of the span. */
  boolean onText(String frame, long nowUnixNanos) {
    if (isOfType(frame, "message")) {
      return onStamp(Stamp.ofText(frame), nowUnixNanos);
    }
    if (isOfType(frame, "gap")) {
      gaps++;
    }
    return false;
  }

  /** Takes a binary frame; true if it is a message past the end of the span. */
  boolean onBinary(byte[] frame, long nowUnixNanos) {
    return onStamp(Stamp.ofBinary(frame), nowUnixNanos);
  }

  SequenceCheck sequence() {
    return sequence;
  }

  /** Latencies in microseconds; null if this client is not measured. */
  Histogram latencyMicros() {
    return latencyMicros;
  }

  /** Messages received before they were sent: the clocks differ. */
  long skewed() {
    return skewed;
  }

  /** Gaps that the gateway told. */
  long gaps() {
    return gaps;
  }

  /** Messages without a stamp. */
  long unreadable() {
    return unreadable;
  }

  /** Something came, and all of it once and in order. */
  boolean complete() {
    return sequence.received() > 0 && sequence.flawless() && gaps == 0 && unreadable == 0;
  }

  private boolean onStamp(Stamp stamp, long nowUnixNanos) {
    if (stamp == null) {
      unreadable++;
      return false;
    }
    sequence.onNumber(stamp.sequence());
    if (latencyMicros != null && span.contains(nowUnixNanos)) {
      record(nowUnixNanos - stamp.unixNanos());
    }
    return span.endedBy(nowUnixNanos);
  }

  private void record(long nanos) {
    if (nanos < 0) {
      skewed++;
    }
    latencyMicros.recordValue(Math.max(0, nanos / NANOS_PER_MICRO));
  }

  /** The gateway writes the type first, so the payload is not searched. */
  private static boolean isOfType(String frame, String type) {
    int value = "{\"type\":\"".length();
    return frame.startsWith("{\"type\":\"")
        && frame.startsWith(type, value)
        && frame.startsWith("\"", value + type.length());
  }
}
