package io.sluice.gateway.broker.jms;

import io.sluice.gateway.limits.Shares;

/** Attempt to open one interest. Its mutable state is bound to the control thread. */
final class Opening extends CallSlots.Call {
  final BrokerInterest interest;

  /** Broken consumer that has to be closed first, or null. */
  final OpenedConsumer replaced;

  /** True if the interest existed when the connection was established. */
  final boolean restores;

  /** Key of the user whose shares it uses; that of the node for a restored interest. */
  final String user;

  /** Session that its thread has borrowed, or null. */
  ConsumerSession session;

  /** True if its session was closed when it failed. Written by the opener's thread. */
  volatile boolean sessionClosed;

  /** True if the first attempt failed on a session that the broker may have closed. */
  boolean repeated;

  Opening(
      BrokerInterest interest,
      BrokerConnection connection,
      OpenedConsumer replaced,
      boolean restores) {
    super(connection);
    this.interest = interest;
    this.replaced = replaced;
    this.restores = restores;
    this.user = restores ? Shares.NODE : interest.user();
  }
}
