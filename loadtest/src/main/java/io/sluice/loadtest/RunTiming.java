package io.sluice.loadtest;

import java.time.Duration;

/**
 * Durations of the phases of a run. Immutable.
 *
 * @param ramp duration in which the clients connect
 * @param warmUp minimum duration excluded from the figures
 * @param duration of a run after the warm-up
 * @param timeout for replies expected immediately
 */
record RunTiming(Duration ramp, Duration warmUp, Duration duration, Duration timeout) {

  /** Returns the duration of one run including the warm-up. */
  Duration run() {
    return warmUp.plus(duration);
  }

  /** Returns the maximum duration of a client's connection. */
  Duration connected() {
    return ramp.plus(run()).plus(timeout.multipliedBy(3));
  }
}
