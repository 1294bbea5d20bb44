package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;

/** Interest as its source sees it. Control thread. */
interface SourceInterest {
  InterestKey key();

  /** Returns whether another interest feeds this one. */
  boolean isFed();

  /** Returns whether its source retained its messages during an outage. */
  boolean isRetained();

  /** The consumer is active again; replay starts from the log. */
  void onReturned(boolean lost);

  /** The source is lost. */
  void onSourceLost();

  /** Reports a gap at the current position of the stream. */
  void onMissed(GapReason reason);

  /**
   * Applies a proof of delivery, or excludes this interest from it if the evidence is insufficient.
   *
   * @param round the round that ends
   * @param sentMs time at which its canary was sent
   * @param congested whether a topic lagged so much in the round that others may starve
   * @param marginMs lag above which arrival times are not comparable with another node's
   */
  void onProof(DeliveryWatermark.Round round, long sentMs, long marginMs, boolean congested);

  /** Returns the largest lag of a message that arrived in a round. */
  long lagMs(DeliveryWatermark.Round round);

  /** Returns the lag behind the broker if it exceeds the margin, otherwise 0. */
  long lagMs();

  /** Returns the number of messages that its consumer received in a round. */
  int arrivals(int round);

  /** Returns the number of those that were late, except messages that are late by design. */
  int lateArrivals(int round);
}
