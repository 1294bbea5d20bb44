package io.sluice.gateway.admission;

import io.sluice.gateway.limits.Acquisition;
import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.limits.Quotas;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Refusal;

/**
 * Admission control of a node: its quotas, and whether it still admits clients. For any thread.
 *
 * <p>{@link #acquire} is the only way in. The handshake of an address is charged earlier, with its
 * request, because requests that ask for no session count as well.
 */
public final class NodeAdmission {
  private final Quotas quotas;
  private final GatewayMetrics metrics;

  /** Whether the node is about to close its event loops. */
  private volatile boolean stopping;

  private volatile boolean draining;

  public NodeAdmission(QuotaOptions options, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.quotas = new Quotas(options, metrics);
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
    return quotas.acquire(ClientAddresses.name(address));
  }

  /** Returns why no client is admitted now, whatever its quotas allow; null if clients are. */
  public Refusal closed() {
    if (stopping) {
      return Refusal.unavailable("this node is stopping");
    }
    return draining ? Refusal.unavailable("this node is draining") : null;
  }

  /** Counts a handshake of an address; false if it exceeds the rate limit. */
  public boolean takeHandshake(String address) {
    return quotas.addresses().takeHandshake(ClientAddresses.name(address));
  }

  /** Returns the handshake rate of each address. */
  public Limit handshakeLimit() {
    return quotas.addresses().limits().handshakes();
  }

  /** Returns the quotas, for checks before the first request. */
  Quotas quotas() {
    return quotas;
  }

  /** Counts a connection that was refused because of the limit with this key. */
  void onLimit(String key) {
    metrics.limitReached(key);
  }

  /** Removes unused quotas; not on an event loop. */
  public void sweep() {
    quotas.sweep();
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
}
