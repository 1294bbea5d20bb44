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

  /** Whether it failed on a session that had been used before, and is tried on another one. */
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
