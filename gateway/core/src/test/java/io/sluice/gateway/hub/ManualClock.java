package io.sluice.gateway.hub;

import io.sluice.gateway.history.HubClock;

/** Clock that advances only when the test requests it. */
final class ManualClock implements HubClock {
  private long ms = 1_000_000;
  private long wrongMs;

  /** Thrown by the next call of {@link #monoMs}; null for none. */
  Error failure;

  /** Thrown by the next call of {@link #nanos}; null for none. */
  Error nanosFailure;

  void pass(long more) {
    ms += more;
  }

  /** Sets the wall clock. */
  void set(long by) {
    wrongMs += by;
  }

  @Override
  public long wallMs() {
    return 1_763_700_000_000L + ms + wrongMs;
  }

  @Override
  public long monoMs() {
    Error thrown = failure;
    failure = null;
    if (thrown != null) {
      throw thrown;
    }
    return HubClock.super.monoMs();
  }

  @Override
  public long nanos() {
    Error thrown = nanosFailure;
    nanosFailure = null;
    if (thrown != null) {
      throw thrown;
    }
    return ms * 1_000_000;
  }
}
