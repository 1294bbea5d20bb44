package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.SubscriptionFigures;
import io.vertx.core.json.JsonObject;

/** JSON of clients' figures. Stateless. */
final class ClientJson {
  static final String NODE = "node";
  static final String SESSION = "session";
  static final String SUBJECT = "subject";
  static final String SINCE = "since";
  static final String SUBSCRIPTIONS = "subscriptions";
  static final String PENDING = "pending-bytes";
  static final String RTT = "rtt-ms";
  static final String GAPS = "gaps";

  private ClientJson() {}

  /** Returns the figures of a client of a node. */
  static JsonObject of(String node, ClientView client) {
    JsonObject json =
        new JsonObject()
            .put(NODE, node)
            .put(SESSION, client.session())
            .put(SUBJECT, client.subject())
            .put("mechanism", client.mechanism())
            .put("token", client.token())
            .put("address", client.address())
            .put(SINCE, client.sinceMs())
            .put(SUBSCRIPTIONS, client.subscriptionCount())
            .put("consumers", client.consumerCount())
            .put(PENDING, client.pendingBytes())
            .put(GAPS, client.gaps());
    int rttMs = client.rttMs();
    return rttMs == ClientView.NO_RTT ? json : json.put(RTT, rttMs);
  }

  /** Adds topic, position and selector of a subscription. */
  static JsonObject position(JsonObject json, SubscriptionFigures subscription) {
    json.put(TopicJson.TOPIC, subscription.key().topic())
        .put("position", subscription.position())
        .put("lag", subscription.lag());
    return subscription.key().hasSelector()
        ? json.put(TopicJson.WHERE, subscription.key().selector())
        : json;
  }
}
