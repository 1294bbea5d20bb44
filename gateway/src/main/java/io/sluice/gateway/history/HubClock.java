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

  /** Returns the monotonic time in nanoseconds since an arbitrary origin. */
  long nanos();

  /** Returns {@link #nanos} in milliseconds. */
  default long monoMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanos());
  }

  /** Converts a wall-clock time to the time of {@link #monoMs}. */
  default long toMono(long wallMs) {
    return wallMs - wallMs() + monoMs();
  }
}
