package io.sluice.gateway.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.CompressedFrames;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients with compressed frames at a real node receive what other clients receive. */
final class CompressedFramesIT {
  private static final String CONNECT = "{\"type\":\"connect\",\"compressed\":true}";
  private static final String TAKEOVER = "permessage-deflate";
  private static final int MESSAGES = 10;

  /** Messages that a client receives: of two topics, the pattern and the tagged subscription. */
  private static final int FRAMES = 2 * MESSAGES + MESSAGES / 2;

  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(TopicSettings.TOPIC_COMPRESSION, List.of("secret.>=alone")));
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  private static List<String> subscribes(String prefix) {
    return List.of(
        "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s.a\"}".formatted(prefix),
        "{\"type\":\"subscribe\",\"ref\":2,\"topic\":\"%s.b\"}".formatted(prefix),
        "{\"type\":\"subscribe\",\"ref\":3,\"topic\":\"%s.*\"}".formatted(prefix),
        "{\"type\":\"subscribe\",\"ref\":4,\"topic\":\"%s.a\",\"tagged\":true}".formatted(prefix));
  }

  private static RawWebSocket open(
      TestNode at, String prefix, String subprotocol, String extensions, boolean compressed) {
    RawWebSocket.Request request = at.request().subprotocols(subprotocol);
    if (extensions != null) {
      request.set("Sec-WebSocket-Extensions", extensions);
    }
    RawWebSocket client = request.open();
    if (compressed) {
      client.text(CONNECT);
    }
    subscribes(prefix).forEach(client::text);
    return client;
  }

  private static List<JsonNode> answers(RawWebSocket client) {
    List<JsonNode> answers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      answers.add(client.await("subscribed"));
    }
    return answers;
  }

  /** Returns the messages that a client receives, sorted. */
  private static List<String> messages(RawWebSocket client, CompressedFrames decoder, int count) {
    List<String> messages = new ArrayList<>();
    while (messages.size() < count) {
      ServerFrame frame = client.readMessage();
      byte[] payload = frame.payload();
      boolean text = frame.opcode() == ClientFrame.TEXT;
      if (!text && CompressedFrames.isCompressed(payload)) {
        CompressedFrames.Content content = decoder.decode(payload);
        text = content.text();
        payload = content.payload();
      }
      String message =
          text ? new String(payload, StandardCharsets.UTF_8) : ByteBufUtil.hexDump(payload);
      if (!text || message.startsWith("{\"type\":\"message\"")) {
        messages.add(message);
      }
    }
    messages.sort(null);
    return messages;
  }

  private static void publish(String prefix) throws Exception {
    for (int i = 0; i < MESSAGES; i++) {
      String text = "{\"symbol\":\"ACME\",\"bid\":" + (100 + i) + '}';
      publisher.text(prefix + (i % 2 == 0 ? ".a" : ".b"), i > 5 ? text.repeat(10) : text);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Encoding.JSON_SUBPROTOCOL, Encoding.BINARY_SUBPROTOCOL})
  void shouldContainTheMessagesOfOtherClients(String subprotocol) throws Exception {
    String prefix = "same-" + subprotocol.substring("sluice.v1.".length());
    try (RawWebSocket plain = open(node, prefix, subprotocol, null, false);
        RawWebSocket framed = open(node, prefix, subprotocol, null, true);
        RawWebSocket both = open(node, prefix, subprotocol, TAKEOVER, true)) {
      answers(plain).forEach(answer -> assertThat(answer.has("stream")).isFalse());
      answers(framed)
          .forEach(answer -> assertThat(answer.has("stream")).isNotEqualTo(answer.has("tagged")));
      answers(both);
      CompressedFrames framedDecoder = new CompressedFrames();
      CompressedFrames bothDecoder = new CompressedFrames();
      publish(prefix);

      List<String> expected = messages(plain, null, FRAMES);
      assertThat(messages(framed, framedDecoder, FRAMES)).isEqualTo(expected);
      assertThat(messages(both, bothDecoder, FRAMES)).isEqualTo(expected);
      assertThat(framedDecoder.received(CompressedFrames.NEXT)).isEqualTo(FRAMES - 4);
      boolean small = subprotocol.equals(Encoding.BINARY_SUBPROTOCOL);
      int first = small ? CompressedFrames.PLAIN : CompressedFrames.FULL;
      assertThat(framedDecoder.received(first)).as("first of each stream").isEqualTo(4);
      assertThat(bothDecoder.received(CompressedFrames.NEXT))
          .as("without those of the selected stream")
          .isBetween(FRAMES - 4 - MESSAGES, FRAMES - 4);
    }
  }

  @Test
  void shouldCompressHttpStreams() throws Exception {
    List<String> frames = new ArrayList<>(subscribes("http"));
    frames.add(0, CONNECT);
    CompressedFrames decoder = new CompressedFrames();
    try (RawWebSocket plain = open(node, "http", Encoding.JSON_SUBPROTOCOL, null, false);
        RawWebSocket stream = node.stream(frames.toArray(String[]::new)).open()) {
      answers(plain);
      answers(stream);
      publish("http");
      assertThat(messages(stream, decoder, FRAMES)).isEqualTo(messages(plain, null, FRAMES));
      assertThat(decoder.received(CompressedFrames.NEXT)).isEqualTo(FRAMES - 4);
    }
  }

  @Test
  void shouldReferToNoOtherMessageOfConfiguredTopics() throws Exception {
    CompressedFrames decoder = new CompressedFrames();
    try (RawWebSocket plain = open(node, "secret", Encoding.JSON_SUBPROTOCOL, null, false);
        RawWebSocket framed = open(node, "secret", Encoding.JSON_SUBPROTOCOL, null, true)) {
      answers(plain);
      answers(framed);
      publish("secret");
      assertThat(messages(framed, decoder, FRAMES)).isEqualTo(messages(plain, null, FRAMES));
      assertThat(decoder.received(CompressedFrames.NEXT)).isZero();
      assertThat(decoder.received(CompressedFrames.FULL)).isPositive();
    }
  }

  @Test
  void shouldNotUseThemIfCompressionIsDisabled() throws Exception {
    try (TestNode other =
            TestNode.start(
                TestNode.config("artemis", broker.url()), ServerSettings.COMPRESSION, false);
        RawWebSocket framed = open(other, "none", Encoding.JSON_SUBPROTOCOL, null, true)) {
      answers(framed).forEach(answer -> assertThat(answer.has("stream")).isFalse());
      publish("none");
      CompressedFrames decoder = new CompressedFrames();
      assertThat(messages(framed, decoder, FRAMES)).hasSize(FRAMES);
      assertThat(decoder.received(CompressedFrames.PLAIN)).isZero();
    }
  }
}
