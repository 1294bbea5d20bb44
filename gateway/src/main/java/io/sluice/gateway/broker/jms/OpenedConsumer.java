package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.MessageConsumer;

/**
 * A consumer at the broker, at first without a listener.
 *
 * @param session the session on which it was opened
 * @param keptMessages the messages that the broker had stored for a durable subscription, or one of
 *     the constants of {@link Provider#keptMessages}
 */
record OpenedConsumer(ConsumerSession session, MessageConsumer consumer, long keptMessages) {
  /**
   * Closes the consumer. Any thread; waits for the broker and never fails.
   *
   * @param withSession whether it is the last consumer of its session, which is closed, too
   */
  void close(Provider provider, boolean withSession) {
    if (withSession) {
      provider.close(consumer, session.jms(), session.connection().jms());
    } else {
      provider.close(consumer);
    }
  }
}
