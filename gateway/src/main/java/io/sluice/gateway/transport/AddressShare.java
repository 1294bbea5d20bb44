package io.sluice.gateway.transport;

import io.sluice.gateway.session.Share;
import io.sluice.gateway.session.SharedBudget;

/** What the connections of one address have together. For any thread. */
final class AddressShare extends Share {
  private final SharedBudget handshakes;
  private final SharedBudget openings;

  /**
   * @param handshakes null for no limit
   * @param openings likewise, of connections when they come
   */
  AddressShare(String name, SharedBudget handshakes, SharedBudget openings) {
    super(name);
    this.handshakes = handshakes;
    this.openings = openings;
  }

  /** Counts a connection that has said nothing yet; false if it is one too many for now. */
  boolean takeOpening(long nowNs) {
    return openings == null || openings.take(1, nowNs);
  }

  /** Counts a handshake; false if it is one too many for now. */
  boolean takeHandshake(long nowNs) {
    return handshakes == null || handshakes.take(1, nowNs);
  }

  @Override
  protected boolean isRested(long nowNs) {
    return handshakes == null || handshakes.isFull(nowNs) && openings.isFull(nowNs);
  }
}
