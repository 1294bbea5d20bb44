package io.sluice.gateway.broker;

import jakarta.jms.MessageConsumer;

/**
 * A consumer at the broker, at first without a listener.
 *
 * @param session the session on which it was opened
 * @param keptMessages the messages that the broker had stored for a durable subscription, or one of
 *     the constants of {@link Provider#keptMessages}
 */
record OpenedConsumer(ConsumerSession session, MessageConsumer consumer, long keptMessages) {}
