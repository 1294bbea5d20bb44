package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.socket.AcceptedChannel;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.SocketHandover;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Map;

/** Request that Vert.x has read. Bound to the connection's event loop. */
record VertxRequest(
    HttpServerRequest request, AcceptedConnection connection, SocketHandover handover)
    implements HandshakeRequest {
  VertxRequest(HttpServerRequest request, SocketHandover handover) {
    this(request, AcceptedChannel.of(SocketHandover.channel(request.connection())), handover);
  }

  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public String version() {
    return switch (request.version()) {
      case HTTP_1_1 -> "HTTP/1.1";
      case HTTP_2 -> "HTTP/2";
      default -> "HTTP/1.0";
    };
  }

  /** Returns whether the request is a stream of a connection that stays with Vert.x. */
  boolean isHttp2() {
    return request.version() == HttpVersion.HTTP_2;
  }

  @Override
  public String query() {
    return request.query();
  }

  @Override
  public List<String> headers(String name) {
    List<String> lines = request.headers().getAll(name);
    boolean isAuthority = lines.isEmpty() && isHttp2() && name.equalsIgnoreCase("Host");
    return isAuthority && request.authority() != null
        ? List.of(request.authority().toString())
        : lines;
  }

  @Override
  public Credential credential(RequestCredentials credentials) {
    return credentials.of(request);
  }

  @Override
  public boolean handOver(String status, Map<String, String> headers, ClientSocket.Owner owner) {
    return handover.handOver(request, status, headers, owner);
  }

  @Override
  public void respond(Refusal refusal) {
    Pages.refuse(request, refusal);
  }
}
