package io.sluice.loadtest.model;

/**
 * Load of a node. Immutable, for any thread.
 *
 * @param messages messages per second from the broker
 * @param frames frames per second to clients
 */
record NodeLoad(TransportMode mode, double messages, double frames) {
  /**
   * Returns the features of the linear model, in units of about 1: a constant, messages, frames,
   * and with TLS again frames.
   */
  double[] features() {
    double kiloFrames = frames / 1e3;
    return new double[] {1, messages / 1e3, kiloFrames, mode == TransportMode.TLS ? kiloFrames : 0};
  }
}
