package io.sluice.gateway.broker.jms;

/** Consumer that is to be closed or is being closed. Bound to the control thread. */
final class Closing extends CallSlots.Call {
  final OpenedConsumer consumer;

  /** True if the consumer exists at the broker, as far as the node was notified. */
  final boolean counted;

  Closing(OpenedConsumer consumer, boolean counted) {
    super(consumer.session().connection());
    this.consumer = consumer;
    this.counted = counted;
  }
}
