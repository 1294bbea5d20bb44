package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;

/** Source whose positions need no proof of delivery. By default, no topic is durable. */
public interface StreamSource extends Broker {
  /** Returns why no topic is durable. Any thread. */
  String durableProblem();

  @Override
  default Consumer openDurable(String pattern, DurableListener listener) {
    listener.onRefused(ErrorCode.UNSUPPORTED, durableProblem());
    return () -> {};
  }

  @Override
  default void unsubscribeDurable(String pattern, Runnable done) {
    done.run();
  }

  @Override
  default boolean selectsConsumersAtSend() {
    return false;
  }

  @Override
  default boolean provesDelivery() {
    return false;
  }
}
