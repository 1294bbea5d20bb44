package io.sluice.gateway.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.stream.Collectors;

/** Responses of the admin port. Stateless; used on its event loop. */
final class Responses {
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";

  private Responses() {}

  /** Sends a text of one line. */
  static void text(HttpServerRequest request, int status, String line) {
    send(request, status, TEXT, Buffer.buffer(line + "\n"));
  }

  /** Sends a JSON object. */
  static void json(HttpServerRequest request, int status, JsonObject body) {
    json(request, status, body.toBuffer());
  }

  /** Sends an encoded JSON object. */
  static void json(HttpServerRequest request, int status, Buffer body) {
    send(request, status, JSON, body);
  }

  /** Sends a response, unless the client has closed the connection. */
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

  /** Refuses a method with status 405 and the allowed ones. */
  static void notAllowed(HttpServerRequest request, List<HttpMethod> allowed) {
    String names = allowed.stream().map(HttpMethod::name).collect(Collectors.joining(", "));
    request.response().putHeader("Allow", names);
    text(request, 405, "method " + request.method() + " is not allowed here; allowed: " + names);
  }

  /** Returns the client's address for the audit log; a closed connection has none. */
  static String peer(HttpServerRequest request) {
    SocketAddress address = request.remoteAddress();
    return address == null ? "gone" : address.hostAddress();
  }

  /** Returns whether a request is GET or HEAD. */
  static boolean isRead(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
  }
}
