package io.sluice.gateway.broker;

/** An attempt to open one interest. Its mutable state is bound to the control thread. */
final class Opening {
  final BrokerInterest interest;
  final BrokerConnection connection;

  /** The broken consumer that has to be closed first, or null. */
  final OpenedConsumer replaced;

  /** Whether the interest existed when the connection was established. */
  final boolean restores;

  /** When its first JMS call began; 0 while it waits for a thread. */
  long startedNs;

  /** Whether it took too long and was given up; its thread still waits for the broker. */
  boolean abandoned;

  Opening(
      BrokerInterest interest,
      BrokerConnection connection,
      OpenedConsumer replaced,
      boolean restores) {
    this.interest = interest;
    this.connection = connection;
    this.replaced = replaced;
    this.restores = restores;
  }
}
