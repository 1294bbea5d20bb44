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
 * A client that checks all that it reads: every message must follow the one before it in its {@link
 * Sequence}, and nothing else may come than what the protocol promises. One thread, but for {@link
 * #close}.
 */
final class CheckedClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int SLOW_CONSUMER = 4000;

  /** What a channel's number stands for. */
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
    RawWebSocket.Request request = node.request().subprotocols(subprotocol).timeout(PATIENCE);
    this.socket = encoding.isDeflated() ? request.deflate().open() : request.open();
  }

  String name() {
    return name;
  }

  void subscribe(String topic) {
    ask("subscribe", topic, null);
    await("subscribed");
  }

  void unsubscribe(String topic) {
    ask("unsubscribe", topic, null);
    await("unsubscribed");
  }

  void publish(String topic, String payload) {
    ask("publish", topic, payload);
    await("published");
  }

  private void ask(String type, String topic, String payload) {
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
      // Whatever comes before it is checked all the same.
    }
  }

  /** Reads one frame and checks it; returns its type. */
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

  /** Messages so far. */
  long messages() {
    return messages;
  }

  /** The {@link Numbered#weight} of all messages so far. */
  long weight() {
    return weight;
  }

  /** Gaps that were told so far. */
  int gaps() {
    return gaps;
  }

  /** The last number of a topic that came through a subscription. */
  long last(String subscription, String topic) {
    return sequences.get(subscription).last(topic);
  }

  /**
   * Whether the node has not given this client up, found out by reading on, past all messages, to
   * the answer to a ping or to the end. No check follows what was passed: only closing is left.
   */
  boolean isServed() {
    try {
      ask("ping", null, null);
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
      return false; // it did not even read the close frame in time, and was cut
    }
  }

  /** Says goodbye and waits for the answer. */
  void leave() {
    socket.sendClose(1000, "");
    expect(1000, socket.awaitClose());
  }

  private void expect(int code, int actual) {
    if (actual != code) {
      throw new AssertionError(name + ": closed with " + actual + " instead of " + code);
    }
  }

  /** Leaves with a reset. */
  void reset() {
    socket.reset();
  }

  /** Leaves without a word; a reset, too, if something was left unread. */
  @Override
  public void close() {
    socket.close();
  }
}
