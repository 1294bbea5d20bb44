package io.sluice.gateway.http;

import io.sluice.gateway.query.ClientView;

/**
 * Smoothed round-trip time as in RFC 6298: seven eighths of the previous value and one eighth of
 * the sample. Its state is one int in units of an eighth of a millisecond, so that a connection
 * needs no further object. Stateless.
 */
final class SmoothedRtt {
  /** State before the first sample. */
  static final int NONE = -1;

  private static final int SCALE = 8;
  private static final long MAX_MS = Integer.MAX_VALUE / SCALE;

  private SmoothedRtt() {}

  /** Returns the state after a sample. */
  static int next(int state, long sampleMs) {
    int sample = (int) Math.max(0, Math.min(MAX_MS, sampleMs));
    return state == NONE ? sample * SCALE : state - state / SCALE + sample;
  }

  /** Returns the value in milliseconds, or {@link ClientView#NO_RTT}. */
  static int ms(int state) {
    return state == NONE ? ClientView.NO_RTT : (state + SCALE / 2) / SCALE;
  }
}
