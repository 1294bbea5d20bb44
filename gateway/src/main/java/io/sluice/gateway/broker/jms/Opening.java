package io.sluice.gateway.broker.jms;

/** An attempt to open one interest. Its mutable state is bound to the control thread. */
final class Opening extends CallSlots.Call {
  final BrokerInterest interest;

  /** The broken consumer that has to be closed first, or null. */
  final OpenedConsumer replaced;

  /** Whether the interest existed when the connection was established. */
  final boolean restores;

  /** The session that is lent to its thread; null while it has none. */
  ConsumerSession session;

  /** Whether its session was closed when it failed. Written by the opener's thread. */
  volatile boolean sessionClosed;

  /** Whether the first attempt failed on a session that the broker may have closed. */
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
  }
}
