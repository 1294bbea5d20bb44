package io.sluice.gateway.soak;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Client that verifies everything it reads: each message must follow the previous one of its {@link
 * Sequence}, and only expected frames may arrive. Bound to one thread, except {@link #close}.
 */
final class CheckedClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final int SLOW_CONSUMER = 4000;

  /** Subscription and topic to which a channel number belongs. */
  private record Named(String subscription, String topic) {}

  private final String name;
  private final RawWebSocket socket;
  private final Map<String, Sequence> sequences = new HashMap<>();
  private final Map<Integer, Named> channels = new HashMap<>();
  private long messages;
  private long weight;
  private int gaps;
  private int refs;

  /** Connects with one of the four encodings. */
  CheckedClient(TestNode node, Encoding encoding, String name) {
    this.name = name + " (" + encoding + ")";
    String subprotocol =
        encoding.isBinary() ? Encoding.BINARY_SUBPROTOCOL : Encoding.JSON_SUBPROTOCOL;
    RawWebSocket.Request request = node.request().subprotocols(subprotocol).timeout(TIMEOUT);
    this.socket = encoding.isDeflated() ? request.deflate().open() : request.open();
  }

  String name() {
    return name;
  }

  void subscribe(String topic) {
    request("subscribe", topic, null);
    await("subscribed");
  }

  void unsubscribe(String topic) {
    request("unsubscribe", topic, null);
    await("unsubscribed");
  }

  void publish(String topic, String payload) {
    request("publish", topic, payload);
    await("published");
  }

  private void request(String type, String topic, String payload) {
    var frame = JSON.createObjectNode().put("type", type).put("ref", ++refs);
    if (topic != null) {
      frame.put("topic", topic);
    }
    if (payload != null) {
      frame.put("payload", payload);
    }
    socket.text(frame.toString());
  }

  private void await(String type) {
    while (!read().equals(type)) {
      // All frames before it are verified as well.
    }
  }

  /** Reads and verifies one frame. Returns its type. */
  String read() {
    try {
      ServerFrame frame = socket.readMessage();
      if (frame.opcode() == ClientFrame.BINARY) {
        onBinary(BinaryMessage.read(frame.payload()));
        return "message";
      }
      return onText(JSON.readTree(frame.text()));
    } catch (AssertionError | UncheckedIOException | JsonProcessingException e) {
      throw new AssertionError(name + ": " + e.getMessage(), e);
    }
  }

  private void onBinary(BinaryMessage message) {
    Named named = channels.get(message.channel());
    if (named == null) {
      throw new AssertionError("channel " + message.channel() + " was never announced");
    }
    onMessage(named.subscription(), named.topic(), message.offset(), message.text());
  }

  private String onText(JsonNode frame) {
    String type = frame.get("type").asText();
    String topic = frame.path("topic").asText();
    switch (type) {
      case "message" -> {
        String subscription = frame.path("pattern").asText(topic);
        long offset = frame.get("offset").asLong();
        onMessage(subscription, topic, offset, frame.get("payload").asText());
      }
      case "subscribed" -> onSubscribed(topic, frame);
      case "channel" -> onChannel(frame, frame.get("pattern").asText(), topic);
      case "unsubscribed" -> sequences.remove(topic);
      case "gap" -> onGap(topic);
      case "hello", "published", "pong", "caught-up" -> {}
      default -> throw new AssertionError("unexpected: " + frame);
    }
    return type;
  }

  private void onSubscribed(String topic, JsonNode frame) {
    sequences.put(topic, new Sequence(topic, frame.get("offset").asLong()));
    if (frame.has("channel")) {
      onChannel(frame, topic, topic);
    }
  }

  private void onChannel(JsonNode frame, String subscription, String topic) {
    channels.put(frame.get("channel").asInt(), new Named(subscription, topic));
  }

  private void onGap(String topic) {
    gaps++;
    sequences.get(topic).onGap();
  }

  private void onMessage(String subscription, String topic, long offset, String payload) {
    Sequence sequence = sequences.get(subscription);
    if (sequence == null) {
      throw new AssertionError("a message of " + topic + " without subscription " + subscription);
    }
    sequence.onMessage(topic, offset, Numbered.number(payload));
    messages++;
    weight += Numbered.weight(payload.length());
  }

  /** Returns the number of messages read so far. */
  long messages() {
    return messages;
  }

  /** Returns the sum of {@link Numbered#weight} of all messages read so far. */
  long weight() {
    return weight;
  }

  /** Returns the number of gaps reported so far. */
  int gaps() {
    return gaps;
  }

  /** Returns the latest number of a topic that was received by a subscription. */
  long last(String subscription, String topic) {
    return sequences.get(subscription).last(topic);
  }

  /**
   * Returns whether the node still serves this client. Sends a ping and reads to its reply or to
   * the end of the connection. Skipped messages are not verified, so the client can only be closed
   * afterwards.
   */
  boolean isServed() {
    try {
      request("ping", null, null);
      for (ServerFrame frame = socket.readFrame(); frame != null; frame = socket.readFrame()) {
        if (frame.opcode() == ClientFrame.CLOSE) {
          expect(SLOW_CONSUMER, frame.closeCode());
          return false;
        }
        if (frame.opcode() == ClientFrame.TEXT && frame.text().startsWith("{\"type\":\"pong\"")) {
          return true;
        }
      }
      return false;
    } catch (UncheckedIOException e) {
      return false; // it did not read the close frame in time, and the node cut the connection
    }
  }

  /** Closes the connection with code 1000 and waits for the reply. */
  void leave() {
    socket.sendClose(1000, "");
    expect(1000, socket.awaitClose());
  }

  private void expect(int code, int actual) {
    if (actual != code) {
      throw new AssertionError(name + ": closed with " + actual + " instead of " + code);
    }
  }

  /** Resets the connection. */
  void reset() {
    socket.reset();
  }

  /** Closes the connection without a close frame; resets it if data was not read. */
  @Override
  public void close() {
    socket.close();
  }
}
