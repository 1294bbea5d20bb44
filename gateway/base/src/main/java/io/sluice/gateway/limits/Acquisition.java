package io.sluice.gateway.limits;

/** Result of {@link Quotas#acquire}: the lease, or the limit that rejects the connection. */
public sealed interface Acquisition permits Lease, QuotaLimits.Limit {}
