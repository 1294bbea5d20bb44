package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.MessageConsumer;

/**
 * Consumer at the broker, initially without a listener. Any thread.
 *
 * @param session session on which it was opened
 * @param retainedMessages number of messages that the broker had retained for a durable
 *     subscription, or a constant of {@link Provider#retainedMessages}
 */
record OpenedConsumer(ConsumerSession session, MessageConsumer consumer, long retainedMessages) {
  /**
   * Closes the consumer. Any thread; waits for the broker and never fails.
   *
   * @param withSession whether it is the last consumer of its session, which is closed as well
   */
  void close(Provider provider, boolean withSession) {
    if (withSession) {
      provider.close(consumer, session.jms(), session.connection().jms());
    } else {
      provider.close(consumer);
    }
  }
}
