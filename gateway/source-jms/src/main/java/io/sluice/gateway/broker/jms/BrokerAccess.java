package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.function.Supplier;

/**
 * Access of queues and requests to the broker of a {@link JmsBroker}. Immutable, for any thread.
 *
 * @param deliveries reader of messages of queues
 * @param replies reader of replies to requests
 * @param served names that clients may use
 * @param replySender publisher of replies to messages of queues
 * @param requestSender publisher of requests
 * @param senders senders of the messages of transactions
 * @param backoffs factory of backoffs of reconnects
 * @param threads source of threads and clocks
 */
public record BrokerAccess(
    Provider provider,
    BrokerNames names,
    ContentReader deliveries,
    ReplyReader replies,
    ServedNames served,
    ReplySender replySender,
    RequestSender requestSender,
    SessionSender.Factory senders,
    Supplier<Backoff> backoffs,
    GatewayMetrics metrics,
    BrokerThreads threads) {}
