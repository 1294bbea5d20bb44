package io.sluice.loadtest;

import java.time.Duration;

/**
 * Durations of the phases of a run. Immutable.
 *
 * @param ramp duration in which the clients connect
 * @param warmUp at least so much of a run does not count
 * @param duration of the rest of a run
 * @param patience for what should come at once
 */
record RunTiming(Duration ramp, Duration warmUp, Duration duration, Duration patience) {

  /** Of one run, the warm-up included. */
  Duration run() {
    return warmUp.plus(duration);
  }

  /** No client is connected for longer. */
  Duration connected() {
    return ramp.plus(run()).plus(patience.multipliedBy(3));
  }
}
