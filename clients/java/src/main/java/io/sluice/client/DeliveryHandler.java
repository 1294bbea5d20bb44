package io.sluice.client;

/**
 * Handler of the messages of a consumer, called for one message after the other. The message is
 * acknowledged when the handler returns, and released when it throws.
 */
@FunctionalInterface
public interface DeliveryHandler {
  /** Processes a message. */
  void onDelivery(Delivery delivery);
}
