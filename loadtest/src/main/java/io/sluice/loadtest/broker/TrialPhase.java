package io.sluice.loadtest.broker;

import java.util.concurrent.atomic.AtomicReference;

/** Current phase of a trial and its first failure. Thread-safe. */
final class TrialPhase {
  private enum Phase {
    WARM_UP,
    MEASURE,
    END
  }

  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private volatile Phase phase = Phase.WARM_UP;

  void measure() {
    phase = Phase.MEASURE;
  }

  void end() {
    phase = Phase.END;
  }

  boolean isMeasuring() {
    return phase == Phase.MEASURE;
  }

  boolean hasEnded() {
    return phase == Phase.END || failure.get() != null;
  }

  /** Ends the trial with a failure. Only the first failure is reported. */
  void fail(Exception reason) {
    failure.compareAndSet(null, reason);
  }

  /** Throws the failure, if any. */
  void check() throws Exception {
    Exception reason = failure.get();
    if (reason != null) {
      throw reason;
    }
  }
}
