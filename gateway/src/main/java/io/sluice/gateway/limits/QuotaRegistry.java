package io.sluice.gateway.limits;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Quotas of one kind by name: those that have connections, or tokens missing. Their number is
 * bounded. For any thread.
 */
public final class QuotaRegistry {
  private final Map<String, Quota> byName = new ConcurrentHashMap<>();
  private final QuotaLimits limits;
  private final GatewayMetrics metrics;
  private final Function<String, Quota> overflow;
  private final int capacity;
  private final String capacityKey;

  /**
   * @param overflow returns the quota of a name for which there is no room
   * @param capacity names at once; its key goes to the metrics
   */
  private QuotaRegistry(
      QuotaLimits limits,
      Function<String, Quota> overflow,
      Config config,
      Setting<Integer> capacity,
      GatewayMetrics metrics) {
    this.limits = limits;
    this.overflow = overflow;
    this.capacity = config.get(capacity);
    this.capacityKey = capacity.key();
    this.metrics = metrics;
  }

  // A name for which there is no room has a quota for each of its connections.
  private static QuotaRegistry ofClients(
      QuotaLimits limits, Config config, Setting<Integer> capacity, GatewayMetrics metrics) {
    return new QuotaRegistry(
        limits, name -> new Quota(name, limits, metrics), config, capacity, metrics);
  }

  /** Creates the quotas of client addresses. */
  public static QuotaRegistry ofAddresses(Config config, GatewayMetrics metrics) {
    return ofClients(QuotaLimits.ofAddress(config), config, LimitSettings.ADDRESSES, metrics);
  }

  /** Creates the quotas of principals; there are at most as many as connections. */
  public static QuotaRegistry ofPrincipals(Config config, GatewayMetrics metrics) {
    return ofClients(QuotaLimits.ofPrincipal(config), config, LimitSettings.CONNECTIONS, metrics);
  }

  /**
   * Creates the quotas of topics. Topics for which there is no room share one: a client that
   * invents topics gains nothing.
   */
  public static QuotaRegistry ofTopics(Config config, GatewayMetrics metrics) {
    QuotaLimits limits = QuotaLimits.ofTopic(config);
    Quota others = new Quota("", limits, metrics);
    return new QuotaRegistry(limits, name -> others, config, LimitSettings.TOPICS, metrics);
  }

  /** Returns whether anything is limited. */
  public boolean isLimited() {
    return limits.bind();
  }

  /** Returns whether handshakes are counted. */
  public boolean hasHandshakeRate() {
    return limits.handshakes().isSet();
  }

  /** Counts a handshake of a client without a session; false if its rate is exceeded. */
  public boolean takeHandshake(String name) {
    return !hasHandshakeRate() || of(name).takeHandshake();
  }

  /** Returns the quota of a name, without counting a connection. */
  public Quota of(String name) {
    Quota known = byName.get(name);
    if (known != null) {
      return known;
    }
    if (byName.size() >= capacity) {
      metrics.limitReached(capacityKey);
      return overflow.apply(name);
    }
    return byName.computeIfAbsent(name, missing -> new Quota(missing, limits, metrics));
  }

  /** Returns whether one more connection of a name would be admitted. */
  public boolean hasRoom(String name) {
    return !limits.connections().isSet() || admits(connections(name) + 1);
  }

  /** Returns the number of connections of a name, without remembering the name. */
  int connections(String name) {
    Quota known = byName.get(name);
    return known == null ? 0 : known.connections();
  }

  /**
   * Counts a connection until {@link #leave}.
   *
   * @return its quota, {@link Quota#UNCOUNTED} where nothing limits connections, or null if the
   *     limit of connections is reached
   */
  public Quota enter(String name) {
    if (!limits.bindSessions()) {
      return Quota.UNCOUNTED;
    }
    Quota quota = entered(name);
    if (admits(quota.connections())) {
      return quota;
    }
    leave(quota);
    return null;
  }

  private Quota entered(String name) {
    while (true) {
      Quota quota = of(name);
      if (quota.enter()) {
        return quota;
      }
      byName.remove(name, quota);
    }
  }

  private boolean admits(int connections) {
    boolean admitted = limits.connections().allows(connections);
    if (!admitted) {
      metrics.limitReached(limits.connections().key());
    }
    return admitted;
  }

  /** Counts a connection less. */
  public void leave(Quota quota) {
    if (quota != Quota.UNCOUNTED && quota.leave(System.nanoTime())) {
      byName.remove(quota.name(), quota);
    }
  }

  /** Removes unused quotas. Takes a while: not for event loops. */
  public void sweep() {
    long nowNs = System.nanoTime();
    for (Quota quota : byName.values()) {
      if (quota.retire(nowNs)) {
        byName.remove(quota.name(), quota);
      }
    }
  }

  /** Returns the number of names. */
  public int size() {
    return byName.size();
  }
}
