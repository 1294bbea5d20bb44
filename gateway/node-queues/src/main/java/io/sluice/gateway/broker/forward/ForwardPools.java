package io.sluice.gateway.broker.forward;

import io.sluice.gateway.limits.Shares;

/** Pools that the leaves of a root share. For any thread. */
final class ForwardPools {
  /** Browses, transactions, lists and deletions of all leaves. */
  private static final int MAX_CALLS = 256;

  private final Shares consumers;
  private final Shares requests;
  private final Shares calls = new Shares(MAX_CALLS);
  private final Shares bytes;

  ForwardPools(ForwardOptions options) {
    this.consumers = new Shares(options.consumers());
    this.requests = new Shares(options.requests());
    this.bytes = new Shares(options.transactionBytes());
  }

  Shares consumers() {
    return consumers;
  }

  Shares requests() {
    return requests;
  }

  Shares calls() {
    return calls;
  }

  /** Returns the bytes of transactions. */
  Shares bytes() {
    return bytes;
  }
}
