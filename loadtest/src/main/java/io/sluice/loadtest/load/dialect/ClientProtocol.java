package io.sluice.loadtest.load.dialect;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Protocol that the load generator's clients can speak. Immutable, for any thread. */
public enum ClientProtocol {
  /** Sluice's own protocol; messages are binary frames. */
  SLUICE_BIN("sluice.v1.bin"),

  /** Sluice's own protocol; every frame is text. */
  SLUICE_JSON("sluice.v1.json"),

  /** Server-Sent Events: one response per client. */
  SSE("sse"),

  /** STOMP 1.2 over WebSocket. */
  STOMP("stomp"),

  /** MQTT 3.1.1 with QoS 0 over WebSocket. */
  MQTT("mqtt");

  private final String label;

  ClientProtocol(String label) {
    this.label = label;
  }

  /**
   * Returns the protocol with a name of the command line.
   *
   * @throws IllegalArgumentException for any other name; the message lists the names
   */
  public static ClientProtocol of(String label) {
    for (ClientProtocol protocol : values()) {
      if (protocol.label.equals(label)) {
        return protocol;
      }
    }
    throw new IllegalArgumentException("'" + label + "' is none of " + labels());
  }

  private static String labels() {
    return Arrays.stream(values()).map(ClientProtocol::toString).collect(Collectors.joining(", "));
  }

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return label;
  }

  /** Returns whether clients send plain HTTP requests. */
  public boolean isHttp() {
    return this == SSE;
  }

  /** Returns whether other servers also speak the protocol. */
  public boolean isOpen() {
    return this != SLUICE_BIN && this != SLUICE_JSON;
  }

  /** Returns whether clients of the load generator can publish. */
  public boolean canPublish() {
    return this == STOMP || this == MQTT;
  }

  /** Returns the prefix of the topics of {@code sluice feed} in this protocol's syntax. */
  public String defaultPrefix() {
    return this == MQTT ? "stocks/" : "stocks.";
  }

  /** Returns what a client sends and recognizes. */
  public Dialect dialect(DialectOptions options) {
    return switch (this) {
      case SLUICE_BIN, SLUICE_JSON -> new SluiceDialect(label, options);
      case SSE -> new SseDialect(options);
      case STOMP -> new StompDialect(options);
      case MQTT -> new MqttDialect(options);
    };
  }
}
