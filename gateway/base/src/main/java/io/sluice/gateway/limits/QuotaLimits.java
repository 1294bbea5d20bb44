package io.sluice.gateway.limits;

import static io.sluice.gateway.config.LimitSettings.CONNECTIONS;
import static io.sluice.gateway.config.LimitSettings.CONSUMERS;
import static io.sluice.gateway.config.LimitSettings.HANDSHAKE_RATE;
import static io.sluice.gateway.config.LimitSettings.NODE_CONSUMERS;
import static io.sluice.gateway.config.LimitSettings.NODE_PUBLISH_RATE;
import static io.sluice.gateway.config.LimitSettings.NODE_SUBSCRIPTIONS;
import static io.sluice.gateway.config.LimitSettings.PUBLISH_RATE;
import static io.sluice.gateway.config.LimitSettings.SUBSCRIPTIONS;
import static io.sluice.gateway.config.LimitSettings.TOPICS;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;

/**
 * Limits of a {@link Quota}. Immutable, for any thread.
 *
 * @param connections maximum number at a time
 * @param handshakes maximum rate per second
 * @param subscriptions maximum number at a time
 * @param topics maximum number of topics that no other group uses
 * @param publishes maximum rate per second
 * @param consumers maximum number of consumers of queues at a time
 */
public record QuotaLimits(
    Limit connections,
    Limit handshakes,
    Limit subscriptions,
    Limit topics,
    Limit publishes,
    Limit consumers) {

  /** Resource that a quota limits. */
  public enum Resource {
    CONNECTIONS("number of connections", ""),
    HANDSHAKES("handshake rate", "/s"),
    SUBSCRIPTIONS("number of subscriptions", ""),
    TOPICS("number of topics without another subscriber", ""),
    PUBLISHES("publish rate", "/s"),
    CONSUMERS("number of consumers", "");

    private final String noun;
    private final String unit;

    Resource(String noun, String unit) {
      this.noun = noun;
      this.unit = unit;
    }
  }

  /**
   * One limit, also the result of a request that exceeds it.
   *
   * @param key of its setting
   * @param max 0: no limit
   */
  public record Limit(Resource resource, String key, long max) implements Acquisition {
    private static Limit none(Resource resource) {
      return new Limit(resource, "", 0);
    }

    private static Limit of(Resource resource, Config config, Setting<Integer> setting) {
      return new Limit(resource, setting.key(), config.get(setting));
    }

    /**
     * Returns the configured limit, or its default: at least what one connection may use, at max
     * half of what the node may use.
     *
     * @param ofConnection limit of one connection; null if there is none
     */
    private static Limit within(
        Setting<Integer> ofNode,
        Setting<Integer> ofConnection,
        Resource resource,
        Config config,
        Setting<Integer> setting) {
      long max = config.get(setting);
      if (!config.isSet(setting)) {
        max = Math.max(max, ofConnection == null ? 0 : config.get(ofConnection));
        long node = config.get(ofNode);
        max = node == 0 ? max : Math.min(max, Math.max(1, node / 2));
      }
      return new Limit(resource, setting.key(), max);
    }

    private Limit replacedBy(Limit next) {
      return isSet() == next.isSet() ? next : this;
    }

    /** Returns whether there is a limit. */
    public boolean isSet() {
      return max > 0;
    }

    boolean allows(long count) {
      return max == 0 || count <= max;
    }

    /** Returns the error text of a request that exceeds the limit. */
    public String problem() {
      return resource.noun + " exceeds " + key + " (" + max + resource.unit + ")";
    }
  }

  /** Returns the limits of clients that are not counted. */
  static QuotaLimits none() {
    return ofPublishes(Limit.none(Resource.PUBLISHES));
  }

  private static QuotaLimits ofPublishes(Limit publishes) {
    return new QuotaLimits(
        Limit.none(Resource.CONNECTIONS),
        Limit.none(Resource.HANDSHAKES),
        Limit.none(Resource.SUBSCRIPTIONS),
        Limit.none(Resource.TOPICS),
        publishes,
        Limit.none(Resource.CONSUMERS));
  }

  /** Returns the limits of all connections of one address. */
  public static QuotaLimits ofAddress(Config config) {
    return ofClient(
        config,
        LimitSettings.ADDRESS_CONNECTIONS,
        LimitSettings.ADDRESS_HANDSHAKE_RATE,
        LimitSettings.ADDRESS_SUBSCRIPTIONS,
        LimitSettings.ADDRESS_TOPICS,
        LimitSettings.ADDRESS_PUBLISH_RATE,
        LimitSettings.ADDRESS_CONSUMERS);
  }

  /** Returns the limits of all sessions of one principal. */
  public static QuotaLimits ofPrincipal(Config config) {
    return ofClient(
        config,
        LimitSettings.PRINCIPAL_CONNECTIONS,
        LimitSettings.PRINCIPAL_HANDSHAKE_RATE,
        LimitSettings.PRINCIPAL_SUBSCRIPTIONS,
        LimitSettings.PRINCIPAL_TOPICS,
        LimitSettings.PRINCIPAL_PUBLISH_RATE,
        LimitSettings.PRINCIPAL_CONSUMERS);
  }

  private static QuotaLimits ofClient(
      Config config,
      Setting<Integer> connections,
      Setting<Integer> handshakes,
      Setting<Integer> subscriptions,
      Setting<Integer> topics,
      Setting<Integer> publishes,
      Setting<Integer> consumers) {
    return new QuotaLimits(
        Limit.within(CONNECTIONS, null, Resource.CONNECTIONS, config, connections),
        Limit.within(HANDSHAKE_RATE, null, Resource.HANDSHAKES, config, handshakes),
        Limit.within(
            NODE_SUBSCRIPTIONS, SUBSCRIPTIONS, Resource.SUBSCRIPTIONS, config, subscriptions),
        Limit.within(TOPICS, SUBSCRIPTIONS, Resource.TOPICS, config, topics),
        Limit.within(NODE_PUBLISH_RATE, PUBLISH_RATE, Resource.PUBLISHES, config, publishes),
        Limit.within(NODE_CONSUMERS, CONSUMERS, Resource.CONSUMERS, config, consumers));
  }

  /** Returns the limits of all publishes to one topic. */
  static QuotaLimits ofTopic(Config config) {
    return ofPublishes(Limit.of(Resource.PUBLISHES, config, LimitSettings.TOPIC_PUBLISH_RATE));
  }

  /** Returns the limits of the node; the hub bounds its topics. */
  static QuotaLimits ofNode(Config config) {
    return new QuotaLimits(
        Limit.of(Resource.CONNECTIONS, config, CONNECTIONS),
        Limit.of(Resource.HANDSHAKES, config, HANDSHAKE_RATE),
        Limit.of(Resource.SUBSCRIPTIONS, config, NODE_SUBSCRIPTIONS),
        Limit.none(Resource.TOPICS),
        Limit.of(Resource.PUBLISHES, config, NODE_PUBLISH_RATE),
        Limit.of(Resource.CONSUMERS, config, NODE_CONSUMERS));
  }

  /**
   * Returns the limits after a reload. A limit is neither added nor removed, because resources
   * without a limit are not counted.
   */
  QuotaLimits replacedBy(QuotaLimits next) {
    return new QuotaLimits(
        connections.replacedBy(next.connections),
        handshakes.replacedBy(next.handshakes),
        subscriptions.replacedBy(next.subscriptions),
        topics.replacedBy(next.topics),
        publishes.replacedBy(next.publishes),
        consumers.replacedBy(next.consumers));
  }

  /** Returns whether all resources that sessions use are limited. */
  boolean boundsUse() {
    return subscriptions.isSet() && topics.isSet() && publishes.isSet() && consumers.isSet();
  }

  /** Returns whether there is any limit. */
  boolean isAnySet() {
    return connections.isSet()
        || handshakes.isSet()
        || subscriptions.isSet()
        || topics.isSet()
        || publishes.isSet()
        || consumers.isSet();
  }
}
