package io.sluice.gateway.limits;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;

/**
 * Limits of a {@link Quota}. Immutable, for any thread.
 *
 * @param connections at once
 * @param handshakes a second
 * @param publishes a second
 * @param publishBytes a second, of payload and properties
 * @param subscriptions at once
 */
public record QuotaLimits(
    Limit connections, Limit handshakes, Limit publishes, Limit publishBytes, Limit subscriptions) {

  /**
   * One limit.
   *
   * @param key of its setting
   * @param most 0 stands for no limit
   */
  public record Limit(String key, long most) {
    private static final Limit NONE = new Limit("", 0);

    private static Limit of(Config config, Setting<? extends Number> setting) {
      return new Limit(setting.key(), config.get(setting).longValue());
    }

    /** Returns whether there is a limit. */
    public boolean isSet() {
      return most > 0;
    }

    boolean allows(long count) {
      return most == 0 || count <= most;
    }
  }

  /** Returns the limits of sessions that share nothing. */
  public static QuotaLimits none() {
    return new QuotaLimits(Limit.NONE, Limit.NONE, Limit.NONE, Limit.NONE, Limit.NONE);
  }

  /** Returns the limits of all connections of one address. */
  public static QuotaLimits ofAddress(Config config) {
    return new QuotaLimits(
        Limit.of(config, LimitSettings.ADDRESS_CONNECTIONS),
        Limit.of(config, LimitSettings.ADDRESS_HANDSHAKE_RATE),
        Limit.of(config, LimitSettings.ADDRESS_PUBLISH_RATE),
        Limit.of(config, LimitSettings.ADDRESS_PUBLISH_BYTES),
        Limit.of(config, LimitSettings.ADDRESS_SUBSCRIPTIONS));
  }

  /** Returns the limits of all sessions of one principal. */
  public static QuotaLimits ofPrincipal(Config config) {
    return new QuotaLimits(
        Limit.of(config, LimitSettings.PRINCIPAL_CONNECTIONS),
        Limit.of(config, LimitSettings.PRINCIPAL_HANDSHAKE_RATE),
        Limit.of(config, LimitSettings.PRINCIPAL_PUBLISH_RATE),
        Limit.of(config, LimitSettings.PRINCIPAL_PUBLISH_BYTES),
        Limit.of(config, LimitSettings.PRINCIPAL_SUBSCRIPTIONS));
  }

  /** Returns the limits of all publishes to one topic. */
  public static QuotaLimits ofTopic(Config config) {
    return new QuotaLimits(
        Limit.NONE,
        Limit.NONE,
        Limit.of(config, LimitSettings.TOPIC_PUBLISH_RATE),
        Limit.NONE,
        Limit.NONE);
  }

  /** Returns the limits of all sessions of the node; the client port bounds its connections. */
  public static QuotaLimits ofNode(Config config) {
    return new QuotaLimits(
        Limit.NONE,
        Limit.NONE,
        Limit.of(config, LimitSettings.NODE_PUBLISH_RATE),
        Limit.of(config, LimitSettings.NODE_PUBLISH_BYTES),
        Limit.of(config, LimitSettings.NODE_SUBSCRIPTIONS));
  }

  /** Returns whether sessions have to be counted. */
  boolean bindSessions() {
    return connections.isSet()
        || publishes.isSet()
        || publishBytes.isSet()
        || subscriptions.isSet();
  }

  /** Returns whether there is any limit. */
  public boolean bind() {
    return handshakes.isSet() || bindSessions();
  }
}
