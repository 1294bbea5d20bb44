package io.sluice.gatling;

import io.gatling.core.protocol.Protocol;
import io.gatling.javaapi.core.ProtocolBuilder;
import io.sluice.gatling.engine.SluiceProtocol;
import io.sluice.gatling.engine.Template;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Builder of the protocol, for {@code protocols(…)} of a simulation. Immutable. */
public final class SluiceProtocolBuilder implements ProtocolBuilder {
  /** Encodings of the node's messages. */
  public enum Encoding {
    /** {@code sluice.v1.bin}: binary messages. */
    BINARY,

    /** {@code sluice.v1.json}: text frames. */
    JSON
  }

  static final SluiceProtocolBuilder DEFAULTS = new SluiceProtocolBuilder(SluiceProtocol.DEFAULTS);

  private final SluiceProtocol protocol;

  private SluiceProtocolBuilder(SluiceProtocol protocol) {
    this.protocol = protocol;
  }

  /**
   * Sets the addresses of the nodes, such as {@code wss://example.com/ws}. Virtual users take them
   * in turn.
   *
   * @param urls Gatling EL strings
   */
  public SluiceProtocolBuilder url(String... urls) {
    if (urls.length == 0) {
      throw new IllegalArgumentException("url requires at least one address");
    }
    return with(protocol.withUrls(Stream.of(urls).map(Template::of).toList()));
  }

  /**
   * Sets the credential of each virtual user.
   *
   * @param token a Gatling EL string
   */
  public SluiceProtocolBuilder token(String token) {
    return with(protocol.withToken(Template.of(token)));
  }

  /**
   * Adds a header of the handshake, such as {@code Origin}.
   *
   * @param value a Gatling EL string
   */
  public SluiceProtocolBuilder header(String name, String value) {
    Map<String, Template> headers = new HashMap<>(protocol.headers());
    headers.put(Objects.requireNonNull(name, "name"), Template.of(value));
    return with(protocol.withHeaders(headers));
  }

  /** Sets the encoding; default {@link Encoding#BINARY}. */
  public SluiceProtocolBuilder encoding(Encoding encoding) {
    return with(protocol.withBinary(encoding == Encoding.BINARY));
  }

  /** Offers permessage-deflate. Each virtual user then has a decompressor. */
  public SluiceProtocolBuilder compression() {
    return with(protocol.withCompression());
  }

  /** Accepts any certificate of a node, for tests with self-signed ones. */
  public SluiceProtocolBuilder acceptAnyCertificate() {
    return with(protocol.withAnyCertificate());
  }

  /** Sets the time limit of the handshake, until {@code hello}; default 10 s. */
  public SluiceProtocolBuilder connectTimeout(Duration timeout) {
    return with(protocol.withConnectTimeout(timeout));
  }

  /** Sets the time limit of answers, and the default one of {@code await}; default 10 s. */
  public SluiceProtocolBuilder answerTimeout(Duration timeout) {
    return with(protocol.withAnswerTimeout(timeout));
  }

  /** Sets the maximum size of a received message; default 16 MiB. */
  public SluiceProtocolBuilder maxMessageBytes(int bytes) {
    return with(protocol.withMaxMessageBytes(bytes));
  }

  /**
   * Sets the maximum number of messages per second, of all virtual users, that become responses in
   * the report; default 10,000. Beyond it, each n-th message does. Checks and counts include every
   * message, and failures are always reported.
   */
  public SluiceProtocolBuilder maxLoggedPerSecond(int messages) {
    return with(protocol.withMaxLoggedPerSecond(messages));
  }

  private static SluiceProtocolBuilder with(SluiceProtocol changed) {
    return new SluiceProtocolBuilder(changed);
  }

  /**
   * Returns the protocol.
   *
   * @throws IllegalArgumentException without an address
   */
  @Override
  public Protocol protocol() {
    if (protocol.urls().isEmpty()) {
      throw new IllegalArgumentException("the protocol has no address: begin with sluice.url(…)");
    }
    return protocol;
  }
}
