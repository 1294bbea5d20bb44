package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.ProtocolContext;
import java.util.List;

/** Open protocol over WebSockets. Immutable, for any thread. */
public interface SocketProtocol {
  /** Returns its subprotocols, which {@code /ws} and its own path accept. */
  List<String> subprotocols();

  /** Returns its own path, on which clients may offer no subprotocol. */
  String path();

  /** Returns the ports on which clients connect without WebSockets. */
  default List<Integer> ports() {
    return List.of();
  }

  /**
   * Creates the client of a connection to one of the {@link #ports}, on its event loop.
   *
   * @param credential of the TLS handshake, or null
   */
  default ConnectionListener newClient(
      ProtocolContext loop, Connection connection, Credential credential) {
    throw new UnsupportedOperationException("the protocol has no ports");
  }

  /** Returns whether a path is its own one, or another one for the same clients. */
  default boolean serves(String path) {
    return path().equals(path);
  }

  /**
   * Creates the client of a WebSocket, on its event loop.
   *
   * @param subprotocol null if the client offered none
   * @param credential of the handshake, or null
   */
  ConnectionListener newClient(
      ProtocolContext loop, Connection connection, String subprotocol, Credential credential);
}
