package io.sluice.gateway.limits;

/** Limits of all quotas of one kind, which a reload replaces. For any thread. */
final class CurrentLimits {
  private volatile QuotaLimits limits;

  CurrentLimits(QuotaLimits limits) {
    this.limits = limits;
  }

  QuotaLimits get() {
    return limits;
  }

  /** Replaces the limits, except for those that {@link QuotaLimits#replacedBy} retains. */
  void replace(QuotaLimits next) {
    limits = limits.replacedBy(next);
  }
}
