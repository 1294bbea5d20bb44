package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of timeouts and of the drain. Constants only. */
public final class TimeoutSettings {
  /**
   * Handshake timeout: until a connection is a WebSocket or stream, and again to its first frame.
   * The last request for a page or file starts it once more.
   */
  public static final Setting<Duration> HANDSHAKE =
      Setting.internal("timeouts.handshake", ofSeconds(10));

  public static final Setting<Duration> PING =
      duration(
          "timeouts.ping",
          ofSeconds(25),
          ofMillis(100),
          ofDays(1),
          "Interval of the node's pings. A client that sends nothing for 2.4 intervals, not even"
              + " a pong, is closed.");

  /** Idle timeout of a client, which is then closed with 4001; null: 2.4 ping intervals. */
  public static final Setting<Duration> IDLE = Setting.internal("timeouts.idle", null);

  /** Returns the idle timeout: without a value, a client stays if two of its pings are lost. */
  public static Duration idle(Config config) {
    return config.isSet(IDLE) ? config.get(IDLE) : config.get(PING).multipliedBy(12).dividedBy(5);
  }

  /** Idle timeout of connections to the admin port. */
  public static final Setting<Duration> ADMIN_IDLE = internal("timeouts.admin-idle", ofSeconds(60));

  public static final Setting<Duration> CLOSE =
      duration(
          "timeouts.close",
          ofSeconds(5),
          ofMillis(10),
          ofMinutes(10),
          "Timeout for a client's answer to a close frame, after which its connection is closed.");
  public static final Setting<Duration> DRAIN =
      duration(
          "timeouts.drain",
          ofSeconds(10),
          ofMillis(0),
          ofHours(24),
          "Time over which a stopping node disconnects or redirects its clients.");
  public static final Setting<Integer> DRAIN_RATE =
      integer(
          "drain.rate",
          0,
          0,
          1_000_000,
          "Clients per second that all draining nodes of a cluster together notify; 0: each node"
              + " notifies its clients in the first half of timeouts.drain.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL = List.of(PING, CLOSE, DRAIN, DRAIN_RATE);

  private TimeoutSettings() {}
}
