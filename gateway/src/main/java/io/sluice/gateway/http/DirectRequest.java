package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.HandshakeSocket;
import io.sluice.gateway.socket.ResponseHead;
import io.sluice.gateway.websocket.UpgradeHead;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Upgrade request that was read directly from its socket. Bound to the socket's event loop. */
final class DirectRequest implements HandshakeRequest {
  private final HandshakeSocket socket;
  private final UpgradeHead head;
  private final Map<String, String> commonHeaders;

  /**
   * @param commonHeaders of each response, except of that to an upgrade
   */
  DirectRequest(HandshakeSocket socket, UpgradeHead head, Map<String, String> commonHeaders) {
    this.socket = socket;
    this.head = head;
    this.commonHeaders = commonHeaders;
  }

  @Override
  public AcceptedConnection connection() {
    return socket;
  }

  @Override
  public String method() {
    return UpgradeHead.METHOD;
  }

  @Override
  public String version() {
    return UpgradeHead.VERSION;
  }

  @Override
  public String query() {
    return head.query();
  }

  @Override
  public List<String> headers(String name) {
    return head.headers(name);
  }

  @Override
  public Credential credential(RequestCredentials credentials) {
    return credentials.of(head::headers, name -> null);
  }

  @Override
  public boolean handOver(String status, Map<String, String> headers, ClientSocket.Owner owner) {
    ByteBuf response = ResponseHead.encode(status, headers);
    try {
      return socket.upgrade(response, owner);
    } finally {
      response.release();
    }
  }

  @Override
  public void respond(int status, Map<String, String> headers, String line) {
    byte[] body = (line + "\n").getBytes(UTF_8);
    Map<String, String> all = new LinkedHashMap<>(commonHeaders);
    all.putAll(headers);
    all.putAll(Pages.TEXT_HEADERS);
    all.put("content-length", String.valueOf(body.length));
    ByteBuf response = ResponseHead.encode(HttpResponseStatus.valueOf(status).toString(), all);
    try {
      response.writeBytes(body);
      socket.respond(response);
    } finally {
      response.release();
    }
  }
}
