package io.sluice.gateway.admin;

import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Page {@code /presence}, the members of a topic. Bound to the admin event loop. */
final class PresencePage {
  private final NodeClients clients;
  private final DelayedResponses waits;

  PresencePage(Vertx vertx, NodeClients clients) {
    this.clients = clients;
    this.waits = new DelayedResponses(vertx);
  }

  void serve(HttpServerRequest request) {
    try {
      String topic = QueryParameters.required(request, "topic");
      waits.answer(
          request,
          clients.presence(topic),
          view -> Responses.json(request, 200, json(topic, view)));
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, e.getMessage());
    }
  }

  private static JsonObject json(String topic, PresenceView view) {
    JsonObject body = new JsonObject().put("topic", topic).put("count", view.count());
    if (!view.isTruncated()) {
      JsonArray members = new JsonArray();
      view.members().forEach(member -> members.add(json(member)));
      body.put("members", members);
    }
    return body.put("truncated", view.isTruncated()).put("partial", view.partial());
  }

  private static JsonObject json(PresenceMember member) {
    JsonObject json = new JsonObject().put("id", member.id()).put("subject", member.subject());
    return member.info() == null ? json : json.put("info", Json.decodeValue(member.info()));
  }
}
