package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TracedFrame;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Details of one session, which only its node can have. */
public record ClientQuery(String session) implements SingleSessionQuery {
  /** Maximum number of listed subscriptions. */
  public static final int MAX_SUBSCRIPTIONS = 1_000;

  @Override
  public JsonObject answer(ClientView client, String node) {
    JsonObject json = ClientJson.of(node, client);
    if (client.expiresMs() != Long.MAX_VALUE) {
      json.put("credential-expires", client.expiresMs());
    }
    JsonObject permissions = new JsonObject();
    client.permissions().forEach((key, patterns) -> permissions.put(key, new JsonArray(patterns)));
    JsonArray subscribed = new JsonArray();
    client.subscriptions(any -> true).stream()
        .limit(MAX_SUBSCRIPTIONS)
        .forEach(each -> subscribed.add(json(each)));
    if (client.frames() != null) {
      JsonArray frames = new JsonArray();
      client.frames().forEach(frame -> frames.add(json(frame)));
      json.put("recent-frames", frames);
    }
    return json.put("permissions", permissions).put("subscribed", subscribed);
  }

  private static JsonObject json(TracedFrame frame) {
    JsonObject json =
        new JsonObject()
            .put("at", frame.atMs())
            .put("direction", frame.incoming() ? "in" : "out")
            .put("type", frame.type())
            .put("bytes", frame.bytes());
    return frame.topic() == null ? json : json.put(TopicJson.TOPIC, frame.topic());
  }

  private static JsonObject json(SubscriptionFigures subscription) {
    return ClientJson.position(new JsonObject(), subscription)
        .put("gaps", subscription.gaps())
        .put(ClientJson.SINCE, subscription.sinceMs());
  }

  @Override
  public String forNode() {
    return "/clients/" + QueryInput.encoded(session) + "?scope=node";
  }
}
