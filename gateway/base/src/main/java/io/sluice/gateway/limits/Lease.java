package io.sluice.gateway.limits;

import io.sluice.gateway.limits.QuotaLimits.Limit;
import io.sluice.gateway.protocol.InterestKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Lease of one connection on the quotas of its address, its principal and the node. Bound to the
 * connection's event loop.
 *
 * <p>Quotas are charged from the narrowest to the widest. A subscription is charged to all of them
 * or to none. A request that a narrow quota rejects does not use up a wider one.
 */
public final class Lease implements Acquisition, AutoCloseable {
  private final Quotas quotas;
  private Quota principal = Quota.UNCOUNTED;
  private Quota address;
  private boolean closed;

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
   * @return the limit that rejects the session, or null
   */
  public Limit acquirePrincipal(String name) {
    QuotaRegistry principals = quotas.principals;
    Quota acquired = principals.acquire(name);
    if (acquired == null) {
      return principals.limits().connections();
    }
    // Last, because a rejected session does not count as a handshake.
    if (!acquired.takeHandshake()) {
      principals.release(acquired);
      return principals.limits().handshakes();
    }
    principal = acquired;
    return null;
  }

  /** Ends the session of the principal. Can be called again. */
  public void releasePrincipal() {
    quotas.principals.release(principal);
    principal = Quota.UNCOUNTED;
  }

  /**
   * Returns the quota of the address for all resources but connections and handshakes. Sessions of
   * a limited principal are not counted: many principals can share an address.
   */
  private Quota shared() {
    return principal.limits().boundsUse() ? Quota.UNCOUNTED : address;
  }

  /** Counts a publish. Returns the limit that rejects it, or null. */
  public Limit publish(String topic) {
    Limit exceeded = publish();
    return exceeded == null ? publishTo(topic) : exceeded;
  }

  /**
   * Counts a publish whose destination is not known yet. Returns the limit that rejects it, or
   * null.
   */
  public Limit publish() {
    Limit exceeded = principal.publish();
    return exceeded == null ? shared().publish() : exceeded;
  }

  /**
   * Counts the destination of a {@link #publish() publish}. Returns the limit that rejects it, or
   * null. Any thread.
   */
  public Limit publishTo(String topic) {
    Limit exceeded = quotas.topics.isLimited() ? quotas.topics.of(topic).publish() : null;
    return exceeded == null ? quotas.node.publish() : exceeded;
  }

  /**
   * Returns the limit that rejects publishes to these topics at once, also if there are no others;
   * or null.
   */
  public Limit publishBurst(List<String> topics) {
    Map<Quota, Integer> counts = new LinkedHashMap<>();
    if (!topics.isEmpty()) {
      List.of(principal, shared(), quotas.node).forEach(each -> counts.put(each, topics.size()));
    }
    if (quotas.topics.isLimited()) {
      topics.forEach(topic -> counts.merge(quotas.topics.of(topic), 1, Integer::sum));
    }
    return counts.entrySet().stream()
        .filter(each -> !each.getKey().limits().publishes().allows(each.getValue()))
        .map(each -> each.getKey().limits().publishes())
        .findFirst()
        .orElse(null);
  }

  /** Counts a subscription. Returns the limit that rejects it, or null. */
  public Limit subscribe(InterestKey key) {
    Limit exceeded = principal.subscribe(key);
    if (exceeded != null) {
      return exceeded;
    }
    exceeded = shared().subscribe(key);
    if (exceeded != null) {
      principal.unsubscribe(key);
      return exceeded;
    }
    exceeded = quotas.node.subscribe(key);
    if (exceeded != null) {
      principal.unsubscribe(key);
      shared().unsubscribe(key);
    }
    return exceeded;
  }

  /** Returns the limit that would reject a subscription now, or null. */
  public Limit rejection(InterestKey key) {
    return Stream.of(principal, shared(), quotas.node)
        .map(quota -> quota.rejection(key))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Removes a subscription from the count. */
  public void unsubscribe(InterestKey key) {
    principal.unsubscribe(key);
    shared().unsubscribe(key);
    quotas.node.unsubscribe(key);
  }

  /** Counts a consumer of a queue. Returns the limit that rejects it, or null. */
  public Limit acquireConsumer() {
    Limit exceeded = principal.acquireConsumer();
    if (exceeded != null) {
      return exceeded;
    }
    exceeded = shared().acquireConsumer();
    if (exceeded != null) {
      principal.releaseConsumer();
      return exceeded;
    }
    exceeded = quotas.node.acquireConsumer();
    if (exceeded != null) {
      principal.releaseConsumer();
      shared().releaseConsumer();
    }
    return exceeded;
  }

  /** Removes a consumer of a queue from the count. */
  public void releaseConsumer() {
    principal.releaseConsumer();
    shared().releaseConsumer();
    quotas.node.releaseConsumer();
  }

  /** Releases all quotas. Its subscriptions and consumers must have ended. Can be called again. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      releasePrincipal();
      quotas.node.release();
      quotas.addresses.release(address);
      address = Quota.UNCOUNTED; // of what the client has left to do, such as a will
    }
  }
}
