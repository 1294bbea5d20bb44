package io.sluice.gateway.admin;

import io.sluice.gateway.session.SessionQuery;
import io.sluice.gateway.session.SessionSummary;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** {@code GET /sessions}: who is connected, a page at a time. Bound to the admin event loop. */
final class SessionPages {
  static final int MOST = 1000;
  private static final int USUAL = 100;

  private final NodeClients clients;
  private final Waits waits;

  SessionPages(Vertx vertx, NodeClients clients) {
    this.clients = clients;
    this.waits = new Waits(vertx);
  }

  void serve(HttpServerRequest request) {
    if (!Answers.isRead(request)) {
      Answers.notAllowed(request, "GET", "HEAD");
      return;
    }
    try {
      long after = number(request, "after", 0, 0, Long.MAX_VALUE);
      int limit = (int) number(request, "limit", USUAL, 1, MOST);
      SessionQuery query = new SessionQuery(request.getParam("subject"), after, limit);
      waits.answer(request, clients.sessions(query), found -> json(request, found, limit));
    } catch (IllegalArgumentException e) {
      Answers.text(request, 400, e.getMessage());
    }
  }

  private static long number(
      HttpServerRequest request, String name, long usual, long least, long most) {
    String text = request.getParam(name);
    if (text == null) {
      return usual;
    }
    String wrong = name + " is not a number from " + least + " to " + most;
    try {
      long number = Long.parseLong(text);
      if (number < least || number > most) {
        throw new IllegalArgumentException(wrong);
      }
      return number;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(wrong, e);
    }
  }

  private static void json(HttpServerRequest request, List<SessionSummary> found, int limit) {
    JsonArray sessions = new JsonArray();
    found.forEach(session -> sessions.add(json(session)));
    JsonObject body = new JsonObject().put("sessions", sessions);
    if (found.size() == limit) {
      body.put("next", found.get(limit - 1).number());
    }
    Answers.json(request, 200, body);
  }

  private static JsonObject json(SessionSummary session) {
    return new JsonObject()
        .put("session", session.peer().session())
        .put("subject", session.peer().principal().name())
        .put("mechanism", session.peer().principal().mechanism().word())
        .put("token", session.peer().principal().tokenId())
        .put("address", session.peer().address())
        .put("since", session.sinceMs())
        .put("subscriptions", session.subscriptions());
  }
}
