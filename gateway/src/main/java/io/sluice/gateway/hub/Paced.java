package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.GapReason;

/** What one subscription is sent at its own pace. Bound to the shard's event loop. */
interface Paced {
  /** Messages have come for everybody else. */
  void onRun(Run run);

  /** Messages may be missing at this offset for everybody else. */
  void onGap(GapReason reason, long offset);

  /** Hands over what may be by now; returns whether something is left, or soon may be. */
  boolean step(Pacer pacer);
}
