package io.sluice.gateway.history;

import java.util.concurrent.TimeUnit;

/** Wall clock and monotonic clock of a node. For any thread. */
public interface HubClock {
  /** The machine's clocks. */
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

  /** Milliseconds since 1970, as the node's clock has them. */
  long wallMs();

  /** Nanoseconds since some moment, for spans of time. */
  long nanos();

  /** {@link #nanos} in milliseconds. */
  default long monoMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanos());
  }

  /** What {@link #monoMs} was or will be at a time of {@link #wallMs}. */
  default long toMono(long wallMs) {
    return wallMs - wallMs() + monoMs();
  }
}
