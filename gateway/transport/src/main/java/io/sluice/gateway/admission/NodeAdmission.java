package io.sluice.gateway.admission;

import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.limits.Acquisition;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.limits.Quotas;
import io.sluice.gateway.metrics.GatewayMetrics;

/**
 * Admission control of a node: its quotas, and whether it still admits clients. For any thread.
 *
 * <p>{@link #acquire} is the only path to a session. The handshake of an address is charged
 * earlier, with its request, because requests without a session count as well.
 */
public final class NodeAdmission {
  private final Quotas quotas;
  private final GatewayMetrics metrics;

  /** Set before the node closes its event loops. */
  private volatile boolean stopping;

  private volatile boolean draining;

  public NodeAdmission(QuotaOptions options, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.quotas = new Quotas(options, metrics);
  }

  /** Replaces the limits of all quotas. */
  public void reload(QuotaOptions options) {
    quotas.reload(options);
  }

  /** Returns the number of admitted connections. */
  public int connections() {
    return quotas.node().connections();
  }

  /**
   * Admits a connection within the quotas of its address and the node, all or none.
   *
   * @return its lease, or the limit that rejects it
   */
  public Acquisition acquire(String address) {
    return quotas.acquire(AddressRange.network(address));
  }

  /** Returns the refusal for every client of a stopping or draining node; null otherwise. */
  public Refusal refusal() {
    if (stopping) {
      return Refusal.unavailable("stopping", "this node is stopping");
    }
    return draining ? Refusal.unavailable("draining", "this node is draining") : null;
  }

  /** Counts a handshake of an address. Returns false if it exceeds the rate limit. */
  public boolean takeHandshake(String address) {
    return quotas.addresses().takeHandshake(AddressRange.network(address));
  }

  /** Returns the handshake rate of each address. */
  public Limit handshakeLimit() {
    return quotas.addresses().limits().handshakes();
  }

  /** Returns the quotas, for checks before the first request. */
  Quotas quotas() {
    return quotas;
  }

  /** Counts a connection that was rejected by the limit with this key. */
  void onLimit(String key) {
    metrics.limitReached(key);
  }

  /** Removes unused quotas. Visits all quotas: not for event loops. */
  public void sweep() {
    quotas.sweep();
  }

  /** Rejects every further request with status 503, because the node is stopping. */
  public void stop() {
    stopping = true;
  }

  public boolean isStopping() {
    return stopping;
  }

  /** Rejects every further client, because the node drains. */
  public void drain() {
    draining = true;
  }

  /** Accepts clients again. */
  public void undrain() {
    draining = false;
  }
}
