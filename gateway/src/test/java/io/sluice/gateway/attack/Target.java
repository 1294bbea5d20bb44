package io.sluice.gateway.attack;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.util.List;
import java.util.stream.IntStream;
import javax.net.ssl.SSLException;

/**
 * Address and protocol with which clients connect. Immutable, for any thread.
 *
 * @param way protocol below HTTP
 * @param from local addresses from which they connect, used in turn
 * @param token credential of each connection, with {@code #} for its number; empty for none
 */
record Target(String host, int port, Way way, List<String> from, String token) {
  /** Protocol below HTTP. */
  enum Way {
    PLAIN,
    TLS,
    /** A header of the PROXY protocol. */
    PROXY
  }

  Target {
    from = List.copyOf(from);
  }

  /** From addresses that begin with this prefix and end with 1 to {@code count}. */
  static List<String> addresses(String prefix, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> prefix + i).toList();
  }

  /** The address of a connection. */
  String from(int number) {
    return from.get(number % from.size());
  }

  /** The credential of a connection; empty for none. */
  String token(int number) {
    return token.replace("#", String.valueOf(number));
  }

  /** Trusts any certificate, because the connection is local. */
  static SslContext tls() {
    try {
      return SslContextBuilder.forClient()
          .trustManager(InsecureTrustManagerFactory.INSTANCE)
          .endpointIdentificationAlgorithm(null)
          .build();
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As arguments of a process. */
  List<String> arguments() {
    return List.of(host, String.valueOf(port), way.name(), String.join(",", from), token);
  }

  /** Reads {@link #arguments} back, from a position on. */
  static Target parse(String[] arguments, int at) {
    return new Target(
        arguments[at],
        Integer.parseInt(arguments[at + 1]),
        Way.valueOf(arguments[at + 2]),
        List.of(arguments[at + 3].split(",")),
        arguments[at + 4]);
  }

  /** Number of arguments that {@link #parse} reads. */
  static final int ARGUMENTS = 5;
}
