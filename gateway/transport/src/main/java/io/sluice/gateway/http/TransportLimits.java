package io.sluice.gateway.http;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.websocket.FrameDecoder;

/**
 * Limits of a client's connection, read once from the configuration. Immutable, for any thread.
 *
 * @param maxPendingBytes maximum bytes waiting to be sent
 * @param maxHandshakes maximum pending handshakes of an event loop
 * @param handshakeMs time for the handshake, and for the credential after it
 * @param framesPerSecond frame rate limit; 0: none
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
  private static final long MIN_TICK_MS = 10;
  private static final long MAX_TICK_MS = 250;

  static TransportLimits of(Config config) {
    return new TransportLimits(
        new FrameDecoder.Limits(
            Math.toIntExact(config.get(LimitSettings.MESSAGE_BYTES)),
            Math.toIntExact(config.get(LimitSettings.MESSAGE_BYTES))),
        config.get(LimitSettings.PENDING_BYTES),
        config.get(LimitSettings.HANDSHAKES),
        config.get(TimeoutSettings.HANDSHAKE).toMillis(),
        config.get(TimeoutSettings.PING).toMillis(),
        TimeoutSettings.idle(config).toMillis(),
        config.get(TimeoutSettings.CLOSE).toMillis(),
        config.get(ServerSettings.STREAM_LIFETIME).toMillis(),
        config.get(LimitSettings.OVERLOAD_LAG).toMillis(),
        config.get(LimitSettings.FRAME_RATE));
  }

  /** Returns the interval at which time limits are checked: a quarter of the shortest one. */
  long tickMs() {
    long shortest = Math.min(Math.min(handshakeMs, closeMs), Math.min(pingMs, idleMs));
    return Math.max(MIN_TICK_MS, Math.min(MAX_TICK_MS, shortest / 4));
  }
}
