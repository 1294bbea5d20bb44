package io.sluice.gateway.admission;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.TokenBucket;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Admission state of a node: its quotas for connections and handshakes, and whether it still admits
 * clients. For any thread.
 */
public final class NodeAdmission {
  private final int maxConnections;
  private final AtomicInteger connections = new AtomicInteger();
  private final AddressQuotas addresses;
  private final TokenBucket handshakes;
  private final GatewayMetrics metrics;

  /** Whether the node is about to close its event loops. */
  private volatile boolean stopping;

  private volatile boolean draining;

  public NodeAdmission(Config config, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.addresses = new AddressQuotas(config, metrics);
    this.handshakes = TokenBucket.of(config.get(LimitSettings.HANDSHAKE_RATE), System.nanoTime());
    this.maxConnections = config.get(LimitSettings.CONNECTIONS);
  }

  /** Returns the number of admitted connections. */
  public int connections() {
    return connections.get();
  }

  /** Returns the quotas per client address. */
  public AddressQuotas addresses() {
    return addresses;
  }

  /** Counts a handshake of the node; false if it exceeds the rate limit. */
  public boolean takeHandshake() {
    boolean taken = handshakes == null || handshakes.take(1, System.nanoTime());
    if (!taken) {
      onLimit(LimitSettings.HANDSHAKE_RATE.key());
    }
    return taken;
  }

  /** Whether {@link #takeHandshake} would return true now. */
  boolean hasHandshake() {
    return handshakes == null || handshakes.has(1, System.nanoTime());
  }

  /** Counts a request that was refused because of the limit with this key. */
  void onLimit(String key) {
    metrics.limitReached(key);
  }

  /** Whether {@link #takePlace} would return false now. */
  boolean isFull() {
    return connections.get() >= maxConnections;
  }

  /** Counts a connection until {@link #givePlaceBack}; false if the node is full. */
  public boolean takePlace() {
    if (connections.incrementAndGet() <= maxConnections) {
      return true;
    }
    givePlaceBack();
    onLimit(LimitSettings.CONNECTIONS.key());
    return false;
  }

  /** Releases the place of one connection. */
  public void givePlaceBack() {
    connections.decrementAndGet();
  }

  /** Refuses every request from now on with 503, because the node is stopping. */
  public void stop() {
    stopping = true;
  }

  public boolean isStopping() {
    return stopping;
  }

  /** Admits no further client from now on, because the node drains. */
  public void drain() {
    draining = true;
  }

  public boolean isDraining() {
    return draining;
  }
}
