package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.socket.AcceptedChannel;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.SocketHandover;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.Map;

/**
 * Connection without HTTP, which admission control treats as a request without headers. Bound to
 * its event loop.
 */
record RawRequest(NetSocket accepted, AcceptedConnection connection, SocketHandover handover)
    implements HandshakeRequest {
  RawRequest(NetSocket accepted, SocketHandover handover) {
    this(accepted, AcceptedChannel.of(SocketHandover.channel(accepted)), handover);
  }

  @Override
  public String method() {
    return "";
  }

  @Override
  public String version() {
    return "";
  }

  @Override
  public String query() {
    return null;
  }

  @Override
  public List<String> headers(String name) {
    return List.of();
  }

  @Override
  public Credential credential(RequestCredentials credentials) {
    return credentials.of(accepted.sslSession());
  }

  @Override
  public boolean handOver(String status, Map<String, String> headers, ClientSocket.Owner owner) {
    handover.handOver(accepted, owner);
    return true;
  }

  /** Closes the connection: the protocol has no answer before its first packet. */
  @Override
  public void respond(Refusal refusal) {
    accepted.close();
  }
}
