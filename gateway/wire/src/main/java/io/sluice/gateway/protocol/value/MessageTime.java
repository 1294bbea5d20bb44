package io.sluice.gateway.protocol.value;

import java.util.concurrent.TimeUnit;

/** Times of messages in frames, Unix milliseconds. Stateless, for any thread. */
public final class MessageTime {
  /** Largest time in a frame: the last Date of JavaScript. */
  public static final long MAX_MS = 8_640_000_000_000_000L;

  // Binary frames have the low 32 bits. Clients add those that are nearest to the node's clock, up
  // to 24 days from it, and may read a frame some days after its encoding.
  private static final long MAX_DISTANCE_MS = TimeUnit.DAYS.toMillis(20);

  private MessageTime() {}

  /** Returns the nearest time that a frame can contain. */
  public static long of(long timeMs) {
    return Math.max(0, Math.min(timeMs, MAX_MS));
  }

  /** Returns whether a binary frame can contain a time. */
  public static boolean isBinary(long timeMs) {
    return binary(timeMs) == timeMs;
  }

  /** Returns the nearest time that a binary frame can contain. */
  public static long binary(long timeMs) {
    long nowMs = System.currentTimeMillis();
    return Math.max(nowMs - MAX_DISTANCE_MS, Math.min(timeMs, nowMs + MAX_DISTANCE_MS));
  }
}
