package io.sluice.gateway.admin.why;

import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.SubscriptionFigures;
import java.util.List;

/**
 * Session of the subject of a {@link WhyQuery}. Immutable, for any thread.
 *
 * @param subscribeProblem reason why it may not subscribe to the topic, or null
 * @param limitProblem limit that rejects one more subscription, or null
 * @param pendingBytes bytes that the client's connection has not accepted
 * @param unansweredPingMs age of the oldest unanswered ping, or {@link ClientView#NO_PING}
 * @param subscriptions subscriptions that cover the topic
 */
record WhyClient(
    String session,
    String address,
    long sinceMs,
    String subscribeProblem,
    String limitProblem,
    long pendingBytes,
    long unansweredPingMs,
    List<SubscriptionFigures> subscriptions) {

  static WhyClient of(ClientView client, WhyQuery query) {
    return new WhyClient(
        client.session(),
        client.address(),
        client.sinceMs(),
        client.subscribeProblem(query.topic()),
        client.limitProblem(query.topic()),
        client.pendingBytes(),
        client.unansweredPingMs(),
        client.subscriptions(query::isCoveredBy));
  }
}
