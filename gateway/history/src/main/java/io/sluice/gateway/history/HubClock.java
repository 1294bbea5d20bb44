package io.sluice.gateway.history;

import java.util.concurrent.TimeUnit;

/** Wall clock and monotonic clock of a node. Any thread may call it. */
public interface HubClock {
  /** The clocks of the operating system. */
  HubClock SYSTEM =
      new HubClock() {
        @Override
        public long wallMs() {
          return System.currentTimeMillis();
        }

        @Override
        public long nanos() {
          return System.nanoTime();
        }
      };

  /** Returns the wall-clock time in milliseconds since 1970. */
  long wallMs();

  /** Returns the monotonic time in nanoseconds since an arbitrary origin in the past. */
  long nanos();

  /** Returns {@link #nanos} in milliseconds. */
  default long monoMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanos());
  }

  /** Converts a wall-clock time to the time of {@link #monoMs}. */
  default long toMono(long wallMs) {
    return wallMs - wallMs() + monoMs();
  }

  /** Converts a time of {@link #monoMs} to the wall-clock time. */
  default long toWall(long monoMs) {
    return monoMs - monoMs() + wallMs();
  }

  /** Returns whether the wall clock has reached a time, except for a tolerance. */
  default boolean isReached(long wallMs, long toleranceMs) {
    return wallMs - toleranceMs <= wallMs();
  }

  /**
   * Returns the time of {@link #monoMs} that no wall-clock time from before the latest step of the
   * wall clock exceeds. Earlier wall-clock times are not comparable. {@link Long#MIN_VALUE} without
   * a step.
   */
  default long comparableSinceMs() {
    return Long.MIN_VALUE;
  }
}
