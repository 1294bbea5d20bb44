package io.sluice.gateway.broker;

import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;

/**
 * A consumer at the broker without a listener, and the JMS session that belongs to it alone.
 *
 * @param keptMessages the messages that the broker had stored for a durable subscription, or one of
 *     the constants of {@link Provider#keptMessages}
 */
record OpenedConsumer(Session session, MessageConsumer consumer, long keptMessages) {}
