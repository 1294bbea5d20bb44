package io.sluice.gateway.http;

import io.sluice.gateway.protocol.MessageFormats;
import java.util.List;
import java.util.stream.Stream;

/** Open protocols of a node. Immutable, for any thread. */
public record OpenProtocols(
    MessageFormats formats,
    List<SocketProtocol> sockets,
    List<HttpProtocol> http,
    List<ProtocolMessages> messages) {
  /** No open protocol. */
  public static final OpenProtocols NONE =
      new OpenProtocols(MessageFormats.NONE, List.of(), List.of());

  /** Creates protocols that send nothing to other nodes. */
  public OpenProtocols(
      MessageFormats formats, List<SocketProtocol> sockets, List<HttpProtocol> http) {
    this(formats, sockets, http, List.of());
  }

  /** Returns these protocols and others. */
  public OpenProtocols plus(OpenProtocols other) {
    return new OpenProtocols(
        formats.plus(other.formats),
        joined(sockets, other.sockets),
        joined(http, other.http),
        joined(messages, other.messages));
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  /** Returns the protocol over WebSockets with a subprotocol, or null. */
  SocketProtocol ofSubprotocol(String subprotocol) {
    for (SocketProtocol each : sockets) {
      if (subprotocol != null && each.subprotocols().contains(subprotocol)) {
        return each;
      }
    }
    return null;
  }

  /** Returns the protocol over WebSockets with its own path, or null. */
  SocketProtocol ofOwnPath(String path) {
    for (SocketProtocol each : sockets) {
      if (each.serves(path)) {
        return each;
      }
    }
    return null;
  }

  /** Returns the protocol over HTTP that serves a path, or null. */
  HttpProtocol ofPath(String path) {
    for (HttpProtocol each : http) {
      if (each.serves(path)) {
        return each;
      }
    }
    return null;
  }
}
