package io.sluice.gateway.session;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;

/**
 * What clients that belong together may have together. Immutable, for any thread.
 *
 * @param whose the clients, for people
 * @param connections at once
 * @param handshakes a second
 * @param publishes a second
 * @param publishBytes a second, of payload and properties
 * @param subscriptions at once
 */
public record ShareLimits(
    String whose,
    Limit connections,
    Limit handshakes,
    Limit publishes,
    Limit publishBytes,
    Limit subscriptions) {

  /**
   * One of them.
   *
   * @param key of its setting
   * @param most 0 stands for no limit
   */
  public record Limit(String key, long most) {
    private static final Limit NONE = new Limit("", 0);

    private static Limit of(Config config, Setting<? extends Number> setting) {
      return new Limit(setting.key(), config.get(setting).longValue());
    }

    boolean isSet() {
      return most > 0;
    }

    boolean allows(long count) {
      return most == 0 || count <= most;
    }
  }

  /** Of those who have nothing that they share. */
  public static ShareLimits none() {
    return new ShareLimits("", Limit.NONE, Limit.NONE, Limit.NONE, Limit.NONE, Limit.NONE);
  }

  /** Of all connections of one address. */
  public static ShareLimits ofAddress(Config config) {
    return new ShareLimits(
        "all sessions of this address",
        Limit.of(config, LimitSettings.ADDRESS_CONNECTIONS),
        Limit.of(config, LimitSettings.ADDRESS_HANDSHAKE_RATE),
        Limit.of(config, LimitSettings.ADDRESS_PUBLISH_RATE),
        Limit.of(config, LimitSettings.ADDRESS_PUBLISH_BYTES),
        Limit.of(config, LimitSettings.ADDRESS_SUBSCRIPTIONS));
  }

  /** Of all sessions of one principal. */
  static ShareLimits ofPrincipal(Config config) {
    return new ShareLimits(
        "all sessions of this client",
        Limit.of(config, LimitSettings.PRINCIPAL_CONNECTIONS),
        Limit.of(config, LimitSettings.PRINCIPAL_HANDSHAKE_RATE),
        Limit.of(config, LimitSettings.PRINCIPAL_PUBLISH_RATE),
        Limit.of(config, LimitSettings.PRINCIPAL_PUBLISH_BYTES),
        Limit.of(config, LimitSettings.PRINCIPAL_SUBSCRIPTIONS));
  }

  /** Of all sessions of the node; how many there may be is the affair of its port. */
  static ShareLimits ofNode(Config config) {
    return new ShareLimits(
        "all sessions of this node",
        Limit.NONE,
        Limit.NONE,
        Limit.of(config, LimitSettings.NODE_PUBLISH_RATE),
        Limit.of(config, LimitSettings.NODE_PUBLISH_BYTES),
        Limit.of(config, LimitSettings.NODE_SUBSCRIPTIONS));
  }

  /** Whether it must be known which sessions there are. */
  boolean bindSessions() {
    return connections.isSet()
        || publishes.isSet()
        || publishBytes.isSet()
        || subscriptions.isSet();
  }

  /** Whether there is any limit. */
  boolean bind() {
    return handshakes.isSet() || bindSessions();
  }
}
