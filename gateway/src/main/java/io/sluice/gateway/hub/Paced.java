package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.GapReason;

/** The state of a subscription that is served at its own pace. Bound to the shard's event loop. */
abstract class Paced {
  /** How many channels of the pattern a binary client has been sent; they precede all messages. */
  int announced;

  /** Messages have come for everybody else. */
  abstract void onRun(Run run);

  /** Messages may be missing at this offset for everybody else. */
  abstract void onGap(GapReason reason, long offset);

  /** Hands over what may be by now; returns whether something is left, or soon may be. */
  abstract boolean step(Pacer pacer);

  /** The subscription has ended, or is served like the others again. */
  void close() {}
}
