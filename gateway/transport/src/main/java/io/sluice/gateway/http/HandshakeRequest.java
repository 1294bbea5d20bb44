package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.ClientSocket;
import java.util.List;
import java.util.Map;

/**
 * Request of a client, as admission control uses it: read by Vert.x or directly from its socket.
 * Bound to the connection's event loop.
 */
interface HandshakeRequest {
  AcceptedConnection connection();

  String method();

  /** Returns the version as in the request line, such as {@code HTTP/1.1}. */
  String version();

  /** Returns the query of the URL, or null. */
  String query();

  /** Returns the values of all lines of a header, by its name in any case. */
  List<String> headers(String name);

  /** Returns the credential of the request, or null. */
  Credential credential(RequestCredentials credentials);

  /** Returns the first value of a header, or null. */
  default String header(String name) {
    List<String> values = headers(name);
    return values.isEmpty() ? null : values.get(0);
  }

  /**
   * Sends the head of a response and hands the connection over to {@code owner}.
   *
   * @param status such as {@code 101 Switching Protocols}
   * @param headers all headers of the response
   * @return false, without an effect, if the connection has already ended
   */
  boolean handOver(String status, Map<String, String> headers, ClientSocket.Owner owner);

  /** Answers with an error. */
  void respond(Refusal refusal);
}
