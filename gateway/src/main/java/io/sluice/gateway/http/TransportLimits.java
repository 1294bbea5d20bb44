package io.sluice.gateway.http;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.websocket.FrameDecoder;

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
    int framesPerSecond) {
  private static final long LEAST_TICK_MS = 10;
  private static final long MOST_TICK_MS = 250;

  static TransportLimits of(Config config) {
    return new TransportLimits(
        new FrameDecoder.Limits(
            Math.toIntExact(config.get(LimitSettings.MESSAGE_BYTES)),
            Math.toIntExact(config.get(LimitSettings.MESSAGE_BYTES))),
        config.get(LimitSettings.PENDING_BYTES),
        config.get(LimitSettings.HANDSHAKES),
        config.get(TimeoutSettings.HANDSHAKE).toMillis(),
        config.get(TimeoutSettings.PING).toMillis(),
        idleMs(config),
        config.get(TimeoutSettings.CLOSE).toMillis(),
        config.get(ServerSettings.STREAM_LIFETIME).toMillis(),
        config.get(LimitSettings.OVERLOAD_LAG).toMillis(),
        config.get(LimitSettings.FRAME_RATE));
  }

  // Two pings may be lost.
  private static long idleMs(Config config) {
    return config.isSet(TimeoutSettings.IDLE)
        ? config.get(TimeoutSettings.IDLE).toMillis()
        : config.get(TimeoutSettings.PING).toMillis() * 12 / 5;
  }

  /** How often time limits are looked after: often enough to keep the shortest by a quarter. */
  long tickMs() {
    long shortest = Math.min(Math.min(handshakeMs, closeMs), Math.min(pingMs, idleMs));
    return Math.max(LEAST_TICK_MS, Math.min(MOST_TICK_MS, shortest / 4));
  }
}
