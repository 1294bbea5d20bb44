package io.sluice.gateway.session;

import java.util.concurrent.atomic.AtomicInteger;

/** What the sessions of one principal have together. For any thread. */
final class PrincipalShare extends Share {
  private final SharedBudget publishes;
  private final SharedBudget publishBytes;
  private final AtomicInteger subscriptions = new AtomicInteger();

  /**
   * @param publishes null for no limit, likewise {@code publishBytes}
   */
  PrincipalShare(String name, SharedBudget publishes, SharedBudget publishBytes) {
    super(name);
    this.publishes = publishes;
    this.publishBytes = publishBytes;
  }

  SharedBudget publishes() {
    return publishes;
  }

  SharedBudget publishBytes() {
    return publishBytes;
  }

  AtomicInteger subscriptions() {
    return subscriptions;
  }

  @Override
  protected boolean isRested(long nowNs) {
    return isFull(publishes, nowNs) && isFull(publishBytes, nowNs);
  }

  private static boolean isFull(SharedBudget budget, long nowNs) {
    return budget == null || budget.isFull(nowNs);
  }
}
