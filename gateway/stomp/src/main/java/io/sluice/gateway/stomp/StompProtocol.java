package io.sluice.gateway.stomp;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.http.OpenProtocols;
import io.sluice.gateway.http.SocketProtocol;
import io.sluice.gateway.protocol.MessageFormats;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.ProtocolContext;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * STOMP over WebSockets, and over WebSockets or HTTP requests of SockJS. Immutable, for any thread.
 */
public final class StompProtocol implements SocketProtocol {
  /** Path of clients without subprotocol, and prefix of those of SockJS. */
  static final String PATH = "/stomp";

  /** Path of a client that uses the framing of SockJS: server, session. */
  private static final Pattern SOCKJS = Pattern.compile(PATH + "/[^/.]+/[^/.]+/websocket");

  private final StompNode node;
  private final boolean sockJs;

  private StompProtocol(StompNode node, boolean sockJs) {
    this.node = node;
    this.sockJs = sockJs;
  }

  /** Returns what the node serves by this protocol. */
  public static OpenProtocols create() {
    StompNode node = new StompNode();
    return new OpenProtocols(
        new MessageFormats(node.formats()),
        List.of(new StompProtocol(node, false), new StompProtocol(node, true)),
        List.of(new SockJsHttp(node)));
  }

  @Override
  public List<String> subprotocols() {
    return Stream.of(StompVersion.values()).map(StompVersion::subprotocol).toList();
  }

  @Override
  public String path() {
    return PATH;
  }

  @Override
  public boolean serves(String path) {
    return sockJs
        ? SOCKJS.matcher(path).matches()
        : path.equals(PATH) || path.equals(PATH + "/websocket");
  }

  @Override
  public ConnectionListener newClient(
      ProtocolContext loop, Connection connection, String subprotocol, Credential credential) {
    return new StompClient(loop, connection, node, sockJs, credential);
  }
}
