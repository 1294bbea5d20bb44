package io.sluice.gateway.limits;

import io.sluice.gateway.config.LimitSettings;
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
  private final Function<String, Quota> quotas;
  private final Function<String, Quota> overflow;
  private final int capacity;
  private final String capacityKey;
  private final GatewayMetrics metrics;

  /**
   * @param quotas creates the quota of a name
   * @param overflow returns the quota of a name for which there is no room
   * @param capacity names at once
   * @param capacityKey counted by the metrics when there is no room
   */
  private QuotaRegistry(
      QuotaLimits limits,
      Function<String, Quota> quotas,
      Function<String, Quota> overflow,
      int capacity,
      String capacityKey,
      GatewayMetrics metrics) {
    this.limits = limits;
    this.quotas = quotas;
    this.overflow = overflow;
    this.capacity = capacity;
    this.capacityKey = capacityKey;
    this.metrics = metrics;
  }

  /**
   * Creates the quotas of addresses or principals. A name for which there is no room has a quota
   * for each of its connections.
   */
  static QuotaRegistry ofClients(
      QuotaLimits limits, int capacity, String capacityKey, GatewayMetrics metrics) {
    ExclusiveTopics exclusive = limits.topics().isSet() ? new ExclusiveTopics() : null;
    Function<String, Quota> quotas = name -> new Quota(name, limits, exclusive, metrics);
    return new QuotaRegistry(limits, quotas, quotas, capacity, capacityKey, metrics);
  }

  /**
   * Creates the quotas of topics. Topics for which there is no room share one: a client that
   * invents topics gains nothing.
   */
  static QuotaRegistry ofTopics(QuotaLimits limits, int capacity, GatewayMetrics metrics) {
    Function<String, Quota> quotas = name -> new Quota(name, limits, null, metrics);
    Quota others = quotas.apply("");
    return new QuotaRegistry(
        limits, quotas, name -> others, capacity, LimitSettings.TOPICS.key(), metrics);
  }

  /** Returns the limits of each quota. */
  public QuotaLimits limits() {
    return limits;
  }

  /** Returns whether anything is limited. */
  boolean isLimited() {
    return limits.bind();
  }

  /** Counts a handshake of a client without a session; false if its rate is exceeded. */
  public boolean takeHandshake(String name) {
    return !limits.handshakes().isSet() || of(name).takeHandshake();
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
    return byName.computeIfAbsent(name, quotas);
  }

  /** Returns whether one more connection of a name would be admitted; remembers no name. */
  public boolean hasRoom(String name) {
    Quota known = byName.get(name);
    boolean hasRoom = known == null || known.hasRoom();
    if (!hasRoom) {
      metrics.limitReached(limits.connections().key());
    }
    return hasRoom;
  }

  /**
   * Counts a connection until {@link #leave}.
   *
   * @return its quota, {@link Quota#UNCOUNTED} where nothing is limited, or null if the limit of
   *     connections is reached
   */
  Quota enter(String name) {
    if (!isLimited()) {
      return Quota.UNCOUNTED;
    }
    while (true) {
      Quota quota = of(name);
      switch (quota.enter()) {
        case ENTERED:
          return quota;
        case FULL:
          return null;
        default:
          byName.remove(name, quota);
      }
    }
  }

  /** Counts a connection less. */
  void leave(Quota quota) {
    if (quota != Quota.UNCOUNTED && quota.exit() && quota.retire(System.nanoTime())) {
      byName.remove(quota.name(), quota);
    }
  }

  /** Removes unused quotas. Takes a while: not for event loops. */
  void sweep() {
    long nowNs = System.nanoTime();
    for (Quota quota : byName.values()) {
      if (quota.retire(nowNs)) {
        byName.remove(quota.name(), quota);
      }
    }
  }

  /** Returns the number of names. */
  int size() {
    return byName.size();
  }
}
