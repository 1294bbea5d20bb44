package io.sluice.gateway.admin;

import io.sluice.gateway.protocol.presence.PresenceMember;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Pages {@code /sessions}, which lists sessions with pagination, and {@code /presence}, which
 * returns the members of a topic. Bound to the admin event loop.
 */
final class SessionPages {
  static final int MAX_LIMIT = 1000;
  private static final int DEFAULT_LIMIT = 100;

  private final NodeClients clients;
  private final DelayedResponses waits;

  SessionPages(Vertx vertx, NodeClients clients) {
    this.clients = clients;
    this.waits = new DelayedResponses(vertx);
  }

  void serve(HttpServerRequest request) {
    try {
      long after = QueryParameters.number(request, "after", 0, 0, Long.MAX_VALUE);
      int limit = (int) QueryParameters.number(request, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
      SessionQuery query = new SessionQuery(request.getParam("subject"), after, limit);
      waits.answer(request, clients.sessions(query), found -> json(request, found, limit));
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, e.getMessage());
    }
  }

  private static void json(HttpServerRequest request, List<SessionSummary> found, int limit) {
    JsonArray sessions = new JsonArray();
    found.forEach(session -> sessions.add(json(session)));
    JsonObject body = new JsonObject().put("sessions", sessions);
    if (found.size() == limit) {
      body.put("next", found.get(limit - 1).number());
    }
    Responses.json(request, 200, body);
  }

  /** Returns the members of a topic. */
  void servePresence(HttpServerRequest request) {
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

  private static JsonObject json(SessionSummary session) {
    return new JsonObject()
        .put("session", session.peer().session())
        .put("subject", session.peer().principal().name())
        .put("mechanism", session.peer().principal().mechanism().word())
        .put("token", session.peer().principal().tokenId())
        .put("address", session.peer().address())
        .put("since", session.sinceMs())
        .put("subscriptions", session.subscriptions())
        .put("consumers", session.consumers());
  }
}
