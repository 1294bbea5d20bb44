package io.sluice.gateway.session;

/**
 * What a client publishes: how fast it may, and how much of it is unanswered. Only clients that
 * publish have one. Bound to one event loop.
 */
final class Publishing {
  private final RateBudget budget;
  private int unanswered;

  Publishing(int perSecond, long nowNs) {
    this.budget = new RateBudget(perSecond, perSecond, nowNs);
  }

  /** Counts a publish as begun, unless it comes too fast. */
  boolean begin(long nowNs) {
    if (!budget.take(nowNs)) {
      return false;
    }
    unanswered++;
    return true;
  }

  void onAnswered() {
    unanswered--;
  }

  boolean isAnswered() {
    return unanswered == 0;
  }
}
