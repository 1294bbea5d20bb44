package io.sluice.gateway.transport;

import io.sluice.gateway.session.Share;
import io.sluice.gateway.session.SharedBudget;

/** What the connections of one address have together. For any thread. */
final class AddressShare extends Share {
  private final SharedBudget handshakes;

  /**
   * @param handshakes null for no limit
   */
  AddressShare(String name, SharedBudget handshakes) {
    super(name);
    this.handshakes = handshakes;
  }

  /** Counts a handshake; false if it is one too many for now. */
  boolean takeHandshake(long nowNs) {
    return handshakes == null || handshakes.take(1, nowNs);
  }

  @Override
  protected boolean isRested(long nowNs) {
    return handshakes == null || handshakes.isFull(nowNs);
  }
}
