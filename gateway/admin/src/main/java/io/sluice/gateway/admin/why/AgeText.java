package io.sluice.gateway.admin.why;

import java.time.Instant;

/** Times and ages in sentences for people. Stateless. */
final class AgeText {
  private static final long SECOND_MS = 1_000;
  private static final long MINUTE_MS = 60 * SECOND_MS;
  private static final long HOUR_MS = 60 * MINUTE_MS;
  private static final long DAY_MS = 24 * HOUR_MS;

  private AgeText() {}

  /** Returns a duration in its largest unit of which it has at least two, such as 90 s. */
  static String of(long ms) {
    if (ms < 2 * MINUTE_MS) {
      return Math.max(0, ms) / SECOND_MS + " s";
    }
    if (ms < 2 * HOUR_MS) {
      return ms / MINUTE_MS + " min";
    }
    return ms < 2 * DAY_MS ? ms / HOUR_MS + " h" : ms / DAY_MS + " d";
  }

  /** Returns a time with its age, such as {@code 2026-01-31T12:00:00Z, 5 s ago}. */
  static String ago(long atMs, long nowMs) {
    return Instant.ofEpochMilli(atMs) + ", " + of(nowMs - atMs) + " ago";
  }
}
