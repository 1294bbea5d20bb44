package io.sluice.gateway.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;

/** How the admin port answers. Stateless; used on its event loop. */
final class Answers {
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";

  private Answers() {}

  /** One line for people. */
  static void text(HttpServerRequest request, int status, String line) {
    send(request, status, TEXT, Buffer.buffer(line + "\n"));
  }

  static void json(HttpServerRequest request, int status, JsonObject body) {
    send(request, status, JSON, body.toBuffer());
  }

  /** A client that has left meanwhile gets none. */
  static void send(HttpServerRequest request, int status, String contentType, Buffer body) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return;
    }
    response
        .setStatusCode(status)
        .putHeader("Content-Type", contentType)
        .putHeader("Content-Length", Integer.toString(body.length()))
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cache-Control", "no-store");
    if (request.method().equals(HttpMethod.HEAD)) {
      response.end();
    } else {
      response.end(body);
    }
  }

  /** Refuses a method; the others are named. */
  static void notAllowed(HttpServerRequest request, String... allowed) {
    request.response().putHeader("Allow", String.join(", ", allowed));
    text(request, 405, "only " + String.join(" and ", allowed) + " are allowed here");
  }

  /** Who asks, for the audit log; a client that has left meanwhile has no address any more. */
  static String peer(HttpServerRequest request) {
    SocketAddress address = request.remoteAddress();
    return address == null ? "gone" : address.hostAddress();
  }

  static boolean isRead(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
  }
}
