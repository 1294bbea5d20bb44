package io.sluice.gateway.transport;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;

/**
 * The limits of a client's connection, read once from the configuration. Milliseconds. A rate of 0
 * stands for none.
 */
record TransportLimits(
    FrameDecoder.Limits frames,
    long maxPendingBytes,
    int maxHandshakes,
    long handshakeMs,
    long pingMs,
    long idleMs,
    long closeMs,
    long streamMs,
    long overloadMs,
    int framesPerSecond,
    int bytesPerSecond) {
  private static final long LEAST_TICK_MS = 10;
  private static final long MOST_TICK_MS = 250;

  static TransportLimits of(Config config) {
    return new TransportLimits(
        new FrameDecoder.Limits(
            Math.toIntExact(config.get(Settings.LIMIT_FRAME_BYTES)),
            Math.toIntExact(config.get(Settings.LIMIT_MESSAGE_BYTES))),
        config.get(Settings.LIMIT_PENDING_BYTES),
        config.get(Settings.LIMIT_HANDSHAKES),
        config.get(Settings.TIMEOUT_HANDSHAKE).toMillis(),
        config.get(Settings.TIMEOUT_PING).toMillis(),
        config.get(Settings.TIMEOUT_IDLE).toMillis(),
        config.get(Settings.TIMEOUT_CLOSE).toMillis(),
        config.get(Settings.SERVER_STREAM_LIFETIME).toMillis(),
        config.get(Settings.LIMIT_OVERLOAD_LAG).toMillis(),
        config.get(Settings.LIMIT_FRAME_RATE),
        Math.toIntExact(config.get(Settings.LIMIT_RECEIVE_RATE)));
  }

  /** How often time limits are looked after: often enough to keep the shortest by a quarter. */
  long tickMs() {
    long shortest = Math.min(Math.min(handshakeMs, closeMs), Math.min(pingMs, idleMs));
    return Math.max(LEAST_TICK_MS, Math.min(MOST_TICK_MS, shortest / 4));
  }
}
