package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.handshake.UpgradeHead;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.HandshakeSocket;
import io.sluice.gateway.socket.ResponseHead;
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
  public void respond(Refusal refusal) {
    ByteBuf response = ResponseHead.encode(refusal, commonHeaders);
    try {
      socket.respond(response);
    } finally {
      response.release();
    }
  }
}
