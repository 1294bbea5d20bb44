package io.sluice.gateway.limits;

import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.GatewayMetrics;

/**
 * Quotas of a node: those of its addresses, principals and topics, and its own. Connections use
 * them through a {@link Lease}. For any thread.
 */
public final class Quotas {
  final QuotaRegistry addresses;
  final QuotaRegistry principals;
  final QuotaRegistry topics;
  final Quota node;
  private final CurrentLimits nodeLimits;

  /**
   * @param metrics counts each limit that is reached
   */
  public Quotas(QuotaOptions options, GatewayMetrics metrics) {
    this.addresses =
        QuotaRegistry.ofClients(
            options.address(), options.maxAddresses(), LimitSettings.ADDRESSES.key(), metrics);
    // A quota remains until its token buckets are full, so there may be more than connections.
    this.principals =
        QuotaRegistry.ofClients(
            options.principal(),
            2 * (int) Math.min(options.node().connections().max(), Integer.MAX_VALUE / 4) + 1_000,
            LimitSettings.CONNECTIONS.key(),
            metrics);
    this.topics = QuotaRegistry.ofTopics(options.topic(), options.maxTopics(), metrics);
    this.nodeLimits = new CurrentLimits(options.node());
    this.node = new Quota("", nodeLimits, null, metrics);
  }

  /**
   * Admits a connection within the quotas of its address and the node, all or none. The handshake
   * rate of the node is charged last: a connection that is rejected anyway does not use it up.
   */
  public Acquisition acquire(String address) {
    Quota own = addresses.acquire(address);
    if (own == null) {
      return addresses.limits().connections();
    }
    if (node.acquire() != Quota.Result.ACQUIRED) {
      addresses.release(own);
      return node.limits().connections();
    }
    Lease lease = new Lease(this, own);
    if (!node.takeHandshake()) {
      lease.close();
      return node.limits().handshakes();
    }
    return lease;
  }

  /** Returns the quotas of addresses. */
  public QuotaRegistry addresses() {
    return addresses;
  }

  /** Returns the quota of the node. */
  public Quota node() {
    return node;
  }

  /** Replaces all limits; those of connections and resources in use apply to further ones. */
  public void reload(QuotaOptions options) {
    addresses.reload(options.address());
    principals.reload(options.principal());
    topics.reload(options.topic());
    nodeLimits.replace(options.node());
  }

  /** Removes unused quotas. Visits all quotas: not for event loops. */
  public void sweep() {
    addresses.sweep();
    principals.sweep();
    topics.sweep();
  }
}
