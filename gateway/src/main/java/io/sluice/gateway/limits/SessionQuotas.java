package io.sluice.gateway.limits;

import java.util.List;
import java.util.stream.Stream;

/**
 * Quotas that apply to one session, asked from the narrowest to the widest: what a narrow quota
 * rejects uses up nothing of a wider one. For any thread.
 */
public final class SessionQuotas {
  private final Quota principal;
  private final List<Quota> own;
  private final QuotaRegistry topics;
  private final Quota node;

  public SessionQuotas(Quota principal, Quota address, QuotaRegistry topics, Quota node) {
    this.principal = principal;
    this.own = Stream.of(principal, address).filter(quota -> quota != Quota.UNCOUNTED).toList();
    this.topics = topics;
    this.node = node;
  }

  /** Returns the quota of all sessions of the principal. */
  public Quota principal() {
    return principal;
  }

  /** Counts a publish; returns null, or the limit that rejects it. */
  public String publishProblem(String topic, long bytes) {
    for (Quota quota : own) {
      String problem = quota.publishProblem(bytes);
      if (problem != null) {
        return problem;
      }
    }
    String problem = topics.isLimited() ? topics.of(topic).publishProblem(bytes) : null;
    return problem == null ? node.publishProblem(bytes) : problem;
  }

  /** Counts a subscription; returns null, or the limit that rejects it. */
  public String subscribeProblem() {
    for (int counted = 0; counted < own.size(); counted++) {
      String problem = own.get(counted).subscribeProblem();
      if (problem != null) {
        own.subList(0, counted).forEach(Quota::endSubscription);
        return problem;
      }
    }
    String problem = node.subscribeProblem();
    if (problem != null) {
      own.forEach(Quota::endSubscription);
    }
    return problem;
  }

  /** Counts a subscription less. */
  public void endSubscription() {
    own.forEach(Quota::endSubscription);
    node.endSubscription();
  }
}
