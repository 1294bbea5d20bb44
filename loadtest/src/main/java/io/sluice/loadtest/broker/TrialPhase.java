package io.sluice.loadtest.broker;

import java.util.concurrent.atomic.AtomicReference;

/** Current phase of a trial, and its first failure. Thread-safe. */
final class TrialPhase {
  private enum Part {
    WARM_UP,
    MEASURE,
    END
  }

  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private volatile Part part = Part.WARM_UP;

  void measure() {
    part = Part.MEASURE;
  }

  void end() {
    part = Part.END;
  }

  boolean measuring() {
    return part == Part.MEASURE;
  }

  boolean ended() {
    return part == Part.END || failure.get() != null;
  }

  /** Ends the run; the first failure is the one that is told. */
  void fail(Exception reason) {
    failure.compareAndSet(null, reason);
  }

  /** Throws what went wrong, if anything did. */
  void check() throws Exception {
    Exception reason = failure.get();
    if (reason != null) {
      throw reason;
    }
  }
}
