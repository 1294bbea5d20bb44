package io.sluice.gateway.limits;

import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Quotas of one kind by name. A quota is registered while it has connections or its token buckets
 * are not full; the number of quotas is bounded. For any thread.
 */
public final class QuotaRegistry {
  private final Map<String, Quota> byName = new ConcurrentHashMap<>();
  private final CurrentLimits current;
  private final Function<String, Quota> quotas;
  private final Function<String, Quota> overflow;
  private final int capacity;
  private final String capacityKey;
  private final GatewayMetrics metrics;

  /**
   * @param quotas creates the quota of a name
   * @param overflow returns the quota of a name for which there is no room
   * @param capacity maximum number of names
   * @param capacityKey counted by the metrics when there is no room
   */
  private QuotaRegistry(
      CurrentLimits current,
      Function<String, Quota> quotas,
      Function<String, Quota> overflow,
      int capacity,
      String capacityKey,
      GatewayMetrics metrics) {
    this.current = current;
    this.quotas = quotas;
    this.overflow = overflow;
    this.capacity = capacity;
    this.capacityKey = capacityKey;
    this.metrics = metrics;
  }

  /**
   * Creates the quotas of addresses or principals. Past the capacity, each connection of a new name
   * has its own quota.
   */
  static QuotaRegistry ofClients(
      QuotaLimits limits, int capacity, String capacityKey, GatewayMetrics metrics) {
    ExclusiveTopics exclusive = limits.topics().isSet() ? new ExclusiveTopics() : null;
    CurrentLimits current = new CurrentLimits(limits);
    Function<String, Quota> quotas = name -> new Quota(name, current, exclusive, metrics);
    return new QuotaRegistry(current, quotas, quotas, capacity, capacityKey, metrics);
  }

  /**
   * Creates the quotas of topics. Past the capacity, new topics share one quota: a client gains
   * nothing by inventing topics.
   */
  static QuotaRegistry ofTopics(QuotaLimits limits, int capacity, GatewayMetrics metrics) {
    CurrentLimits current = new CurrentLimits(limits);
    Function<String, Quota> quotas = name -> new Quota(name, current, null, metrics);
    Quota others = quotas.apply("");
    return new QuotaRegistry(
        current, quotas, name -> others, capacity, LimitSettings.TOPICS.key(), metrics);
  }

  /** Returns the limits of each quota. */
  public QuotaLimits limits() {
    return current.get();
  }

  /** Replaces the limits of all quotas; see {@link CurrentLimits#replace}. */
  void reload(QuotaLimits next) {
    current.replace(next);
  }

  /** Returns whether anything is limited. */
  boolean isLimited() {
    return limits().isAnySet();
  }

  /** Counts a handshake of a client without a session. Returns false if its rate is exceeded. */
  public boolean takeHandshake(String name) {
    return !limits().handshakes().isSet() || of(name).takeHandshake();
  }

  /** Returns the quota of a name, without counting a connection. */
  public Quota of(String name) {
    Quota quota = byName.get(name);
    if (quota != null) {
      return quota;
    }
    if (byName.size() >= capacity) {
      metrics.limitReached(capacityKey);
      return overflow.apply(name);
    }
    return byName.computeIfAbsent(name, quotas);
  }

  /** Returns whether one more connection of a name would be admitted. Registers no quota. */
  public boolean hasRoom(String name) {
    Quota quota = byName.get(name);
    boolean hasRoom = quota == null || quota.hasRoom();
    if (!hasRoom) {
      metrics.limitReached(limits().connections().key());
    }
    return hasRoom;
  }

  /**
   * Counts a connection until {@link #release}.
   *
   * @return its quota, {@link Quota#UNCOUNTED} if nothing is limited, or null if the limit of
   *     connections is reached
   */
  Quota acquire(String name) {
    if (!isLimited()) {
      return Quota.UNCOUNTED;
    }
    while (true) {
      Quota quota = of(name);
      switch (quota.acquire()) {
        case ACQUIRED:
          return quota;
        case EXCEEDED:
          return null;
        default:
          byName.remove(name, quota);
      }
    }
  }

  /** Removes a connection from the count. */
  void release(Quota quota) {
    if (quota != Quota.UNCOUNTED && quota.release() && quota.retire(System.nanoTime())) {
      byName.remove(quota.name(), quota);
    }
  }

  /** Removes unused quotas. Visits all quotas: not for event loops. */
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
