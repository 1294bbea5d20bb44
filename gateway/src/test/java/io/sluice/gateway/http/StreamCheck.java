package io.sluice.gateway.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.MessageInflater;
import io.sluice.testkit.ServerFrame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Checker of all frames that one client receives: docs/PROTOCOL.md, sections 4 and 5. Its reader's
 * thread passes the frames, the test's thread announces the client's requests.
 *
 * <p>Each message must be the next one of its subscription and have the published content. Replies
 * must have the order of their requests. No frame may follow a close frame.
 */
final class StreamCheck {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final int NO_CLOSE = 0;

  /** Position of the client in one confirmed subscription. */
  private static final class Place {
    private long offset;
    private final Map<String, Long> numbers = new HashMap<>();
  }

  private record Name(String subscription, String topic) {}

  private final Publications publications;
  private final SharedFrames shared;
  private final Encoding encoding;
  private final MessageInflater inflater = new MessageInflater(null);
  private final Map<String, Place> places = new HashMap<>();
  private final Map<Integer, Name> channels = new HashMap<>();
  private final Map<Integer, String> asked = new HashMap<>();
  private final Queue<String> answers = new ArrayDeque<>();
  private boolean greeted;
  private int closeCode = NO_CLOSE;
  private long bytes;
  private long messages;
  private long deflated;

  /**
   * @param shared frames that other clients have received
   */
  StreamCheck(Publications publications, SharedFrames shared, Encoding encoding) {
    this.publications = publications;
    this.shared = shared;
    this.encoding = encoding;
  }

  synchronized void asksSubscribe(int ref, String topic) {
    asked.put(ref, topic);
  }

  synchronized void asksUnsubscribe(int ref, String topic) {
    answers.add("unsubscribed " + ref + " " + topic);
  }

  synchronized void pings(String payload) {
    answers.add("WebSocket pong " + payload);
  }

  synchronized void asksPong(int ref) {
    answers.add("pong " + ref);
  }

  synchronized boolean isSubscribed(String topic) {
    return places.containsKey(topic);
  }

  /** Returns whether a subscription has received its message of this offset. */
  synchronized boolean isAt(String subscription, long offset) {
    return places.containsKey(subscription) && places.get(subscription).offset == offset;
  }

  synchronized boolean isAnswered() {
    return answers.isEmpty() && asked.isEmpty();
  }

  synchronized int closeCode() {
    return closeCode;
  }

  /** Returns the number of payload bytes of all frames. */
  synchronized long bytes() {
    return bytes;
  }

  synchronized long messages() {
    return messages;
  }

  /** Returns the number of compressed frames. */
  synchronized long deflated() {
    return deflated;
  }

  @Override
  public synchronized String toString() {
    Map<String, Long> offsets = new HashMap<>();
    places.forEach((name, place) -> offsets.put(name, place.offset));
    return encoding + " at " + offsets + ", to be answered: " + asked + answers;
  }

  synchronized void onFrame(ServerFrame frame) {
    bytes += frame.payload().length;
    require(closeCode == NO_CLOSE, "a frame behind the close frame: opcode " + frame.opcode());
    boolean mayBeDeflated = encoding.isDeflated() && frame.opcode() < ClientFrame.CLOSE;
    require(frame.rsv() == 0 || mayBeDeflated && frame.rsv() == 4, "reserved bits " + frame.rsv());
    require(frame.fin(), "a fragment");
    deflated += frame.rsv() == 0 ? 0 : 1;
    switch (frame.opcode()) {
      case ClientFrame.TEXT -> onText(inflater.inflate(frame));
      case ClientFrame.BINARY -> onBinary(inflater.inflate(frame));
      case ClientFrame.PING -> require(frame.payload().length == 0, "a ping with a payload");
      case ClientFrame.PONG -> onAnswer("WebSocket pong " + frame.text());
      case ClientFrame.CLOSE -> closeCode = frame.closeCode();
      default -> throw new AssertionError("opcode " + frame.opcode());
    }
  }

  private void onText(ServerFrame frame) {
    JsonNode json = json(frame.payload());
    String type = json.path("type").asText();
    require(greeted || type.equals("hello"), "the first frame is no hello but " + type);
    greeted = true;
    int ref = json.path("ref").asInt();
    String topic = json.path("topic").asText();
    switch (type) {
      case "hello", "caught-up", "draining" -> {}
      case "subscribed" -> onSubscribed(ref, topic, json);
      case "unsubscribed" -> {
        onAnswer("unsubscribed " + ref + " " + topic);
        places.remove(topic);
      }
      case "pong" -> onAnswer("pong " + ref);
      case "channel" -> onChannel(json.path("pattern").asText(), topic, json);
      case "message" -> onJsonMessage(json, topic, frame);
      default -> throw new AssertionError("unexpected: " + json);
    }
  }

  private static JsonNode json(byte[] text) {
    String json = new String(text, StandardCharsets.UTF_8);
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + json.substring(0, Math.min(200, json.length())), e);
    }
  }

  private void onSubscribed(int ref, String topic, JsonNode json) {
    require(topic.equals(asked.remove(ref)), "reply without request: " + json);
    Place place = new Place();
    place.offset = json.get("offset").asLong();
    require(places.put(topic, place) == null, "subscribed twice: " + topic);
    if (json.has("channel")) {
      onChannel(topic, topic, json);
    }
  }

  private void onChannel(String subscription, String topic, JsonNode json) {
    require(encoding.isBinary(), "a channel in JSON");
    channels.put(json.get("channel").asInt(), new Name(subscription, topic));
  }

  private void onAnswer(String answer) {
    String expected = answers.poll();
    require(answer.equals(expected), "answered: " + answer + ", not: " + expected);
  }

  private void onJsonMessage(JsonNode json, String topic, ServerFrame frame) {
    require(!encoding.isBinary(), "a JSON message to a binary client");
    String subscription = json.has("pattern") ? json.get("pattern").asText() : topic;
    byte[] payload = json.get("payload").asText().getBytes(StandardCharsets.UTF_8);
    onMessage(new Name(subscription, topic), json.get("offset").asLong(), payload, frame);
  }

  private void onBinary(ServerFrame frame) {
    require(encoding.isBinary(), "a binary message to a JSON client");
    ByteBuffer in = ByteBuffer.wrap(frame.payload());
    int typeAndChannel = in.getInt();
    require(typeAndChannel >>> 24 == 1, "type " + (typeAndChannel >>> 24));
    Name name = channels.get(typeAndChannel & 0xFF_FFFF);
    require(name != null, "a message on a channel that was not announced");
    long offset = Integer.toUnsignedLong(in.getInt());
    in.position(20);
    onMessage(name, offset, Arrays.copyOfRange(in.array(), 20, in.limit()), frame);
  }

  private void onMessage(Name name, long offset, byte[] payload, ServerFrame frame) {
    Place place = places.get(name.subscription());
    require(place != null, "a message without a subscription: " + name);
    require(
        offset == place.offset + 1,
        name + " offset " + offset + " behind " + place.offset + ": lost, twice or out of order");
    place.offset = offset;
    boolean pattern = !name.subscription().equals(name.topic());
    long number = pattern ? place.numbers.merge(name.topic(), 1L, Long::sum) : offset;
    int differs = Arrays.mismatch(payload, publications.text(name.topic(), number));
    require(differs < 0, name + " message " + number + " differs at byte " + differs);
    shared.compare(encoding, name.subscription(), offset, frame);
    messages++;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
