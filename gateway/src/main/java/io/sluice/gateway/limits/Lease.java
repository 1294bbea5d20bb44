package io.sluice.gateway.limits;

import io.sluice.gateway.limits.QuotaLimits.Limit;

/**
 * Share of the quotas that one connection holds until it is closed: those of its address, of its
 * principal and of the node. Bound to the connection's event loop.
 *
 * <p>Quotas are asked from the narrowest to the widest. A request is counted by all of them or by
 * none, and what a narrow quota rejects uses up nothing of a wider one.
 */
public final class Lease implements Acquisition, AutoCloseable {
  private final Quotas quotas;
  private Quota principal = Quota.UNCOUNTED;

  /** Null once the lease is closed. */
  private Quota address;

  Lease(Quotas quotas, Quota address) {
    this.quotas = quotas;
    this.address = address;
  }

  /** Returns the lease of a connection that no quota limits. */
  public static Lease unlimited() {
    return new Lease(new Quotas(QuotaOptions.none(), null), Quota.UNCOUNTED);
  }

  /** Returns the name of the address under which the connection is counted. */
  public String address() {
    return address.name();
  }

  /**
   * Counts a session of a principal until {@link #releasePrincipal}. A lease has one principal.
   *
   * @return null, or the limit that rejects the session
   */
  public Limit acquirePrincipal(String name) {
    QuotaRegistry principals = quotas.principals;
    Quota entered = principals.enter(name);
    if (entered == null) {
      return principals.limits().connections();
    }
    // Last, because a rejected session does not count as a handshake.
    if (!entered.takeHandshake()) {
      principals.leave(entered);
      return principals.limits().handshakes();
    }
    principal = entered;
    return null;
  }

  /** Ends the session of the principal. Can be called again. */
  public void releasePrincipal() {
    quotas.principals.leave(principal);
    principal = Quota.UNCOUNTED;
  }

  /** Counts a publish; returns null, or the limit that rejects it. */
  public Limit publish(String topic) {
    Limit exceeded = principal.publish();
    if (exceeded == null) {
      exceeded = address.publish();
    }
    if (exceeded == null && quotas.topics.isLimited()) {
      exceeded = quotas.topics.of(topic).publish();
    }
    return exceeded == null ? quotas.node.publish() : exceeded;
  }

  /** Counts a subscription; returns null, or the limit that rejects it. */
  public Limit subscribe(String topic) {
    Limit exceeded = principal.subscribe(topic);
    if (exceeded != null) {
      return exceeded;
    }
    exceeded = address.subscribe(topic);
    if (exceeded != null) {
      principal.unsubscribe(topic);
      return exceeded;
    }
    exceeded = quotas.node.subscribe(topic);
    if (exceeded != null) {
      principal.unsubscribe(topic);
      address.unsubscribe(topic);
    }
    return exceeded;
  }

  /** Counts a subscription less. */
  public void unsubscribe(String topic) {
    principal.unsubscribe(topic);
    address.unsubscribe(topic);
    quotas.node.unsubscribe(topic);
  }

  /** Releases everything. Its subscriptions have ended by then. Can be called again. */
  @Override
  public void close() {
    if (address != null) {
      releasePrincipal();
      quotas.node.exit();
      quotas.addresses.leave(address);
      address = null;
    }
  }
}
