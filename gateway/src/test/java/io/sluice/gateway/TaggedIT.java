package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.BinaryMessage;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tagged subscriptions over real connections, together with plain ones. */
final class TaggedIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Long enough to be compressed. */
  private static final String FILLER = " " + "x".repeat(500);

  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config(broker.provider(), broker.url())
                .with(LimitSettings.PENDING_BYTES, 256L * 1024)
                .with(HistorySettings.MESSAGES, 1_000));
    publisher = new TestPublisher(broker.provider(), broker.url());
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  /** Reads either encoding into what came for each subscription: {@code 0} is without a ref. */
  private static final class Client implements AutoCloseable {
    private final RawWebSocket socket;
    private final Map<Long, List<String>> received = new HashMap<>();
    private final Map<Long, JsonNode> answers = new HashMap<>();
    private final Map<Long, Long> offsets = new HashMap<>();
    private final Map<Integer, String> channels = new HashMap<>();

    Client(Encoding encoding) {
      RawWebSocket.Request request =
          node.request()
              .subprotocols(
                  encoding.isBinary() ? Encoding.BINARY_SUBPROTOCOL : Encoding.JSON_SUBPROTOCOL);
      socket = (encoding.isDeflated() ? request.deflate() : request).open();
    }

    /** Sends a frame without its braces and with single quotation marks. */
    void say(String members) {
      socket.text("{" + members.replace('\'', '"') + "}");
    }

    void subscribe(String topic, long ref, String members) {
      say("'type':'subscribe','topic':'" + topic + "','ref':" + ref + members);
      readUntil(() -> answers.containsKey(ref));
    }

    List<String> received(long ref) {
      return received.getOrDefault(ref, List.of());
    }

    void readUntil(BooleanSupplier enough) {
      while (!enough.getAsBoolean()) {
        ServerFrame frame = socket.readMessage();
        if (frame.opcode() == ClientFrame.BINARY) {
          BinaryMessage message = BinaryMessage.read(frame.payload());
          assertThat(channels).containsKey(message.channel());
          onMessage(message.ref() == null ? 0 : message.ref(), message.offset(), message.text());
        } else {
          onText(frame.text());
        }
      }
    }

    private void onText(String text) {
      JsonNode frame = parse(text);
      long ref = frame.path("ref").asLong(0);
      switch (frame.get("type").asText()) {
        case "message" ->
            onMessage(ref, frame.get("offset").asLong(), frame.get("payload").asText());
        case "gap" -> {
          note(ref, "gap " + frame.get("reason").asText());
          offsets.put(ref, frame.get("offset").asLong());
        }
        case "channel" -> channel(frame);
        case "subscribed" -> {
          answers.put(ref, frame);
          if (frame.has("channel")) {
            channel(frame);
          }
        }
        case "unsubscribed" -> note(ref, "unsubscribed");
        case "error" -> note(ref, frame.get("code").asText());
        default -> {}
      }
    }

    private void channel(JsonNode frame) {
      channels.put(frame.get("channel").asInt(), frame.get("topic").asText());
    }

    private void onMessage(long ref, long offset, String payload) {
      note(ref, payload.split(" ")[0]);
      assertThat(offset).as("offset of #%d", ref).isGreaterThan(offsets.getOrDefault(ref, -1L));
      offsets.put(ref, offset);
    }

    private void note(long ref, String what) {
      received.computeIfAbsent(ref, key -> new ArrayList<>()).add(what);
    }

    /** Position of a subscription. */
    JsonNode position(long ref) {
      ObjectNode position = JSON.createObjectNode();
      position.set("epoch", answers.get(ref).get("epoch"));
      position.put("offset", offsets.get(ref));
      return position;
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void publish(String topic, int from, int to) throws Exception {
    for (int i = from; i <= to; i++) {
      publisher.text(topic, i + FILLER);
    }
  }

  private static String[] numbers(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(String::valueOf).toArray(String[]::new);
  }

  @ParameterizedTest
  @EnumSource(Encoding.class)
  void shouldServeEachSubscriptionIndependently(Encoding encoding) throws Exception {
    String topic = "own." + encoding.ordinal() + ".topic";
    String pattern = "own." + encoding.ordinal() + ".*";
    try (Client holder = new Client(Encoding.JSON);
        Client client = new Client(encoding)) {
      holder.subscribe(topic, 1, "");
      publish(topic, 1, 5);
      holder.readUntil(() -> holder.received(0).size() == 5);
      client.subscribe(topic, 1, "");
      client.subscribe(topic, 4, ",'tagged':true,'from':{'last':3}");
      client.subscribe(topic, 5, ",'tagged':true,'from':'snapshot','delivery':'latest'");
      client.subscribe(pattern, 4_294_967_295L, ",'tagged':true");
      publish(topic, 6, 8);
      client.readUntil(
          () ->
              client.received(0).contains("8")
                  && client.received(4).contains("8")
                  && client.received(5).contains("8")
                  && client.received(4_294_967_295L).contains("8"));
      assertThat(client.received(0)).containsExactly(numbers(6, 8));
      assertThat(client.received(4)).containsExactly(numbers(3, 8));
      assertThat(client.received(5))
          .startsWith("5")
          .endsWith("8")
          .isSorted()
          .doesNotHaveDuplicates();
      assertThat(client.received(4_294_967_295L)).containsExactly(numbers(6, 8));

      client.say("'type':'unsubscribe','ref':9,'subscription':4");
      client.readUntil(() -> client.received(9).contains("unsubscribed"));
      publish(topic, 9, 9);
      client.readUntil(() -> client.received(0).contains("9") && client.received(5).contains("9"));
      client.say("'type':'unsubscribe','ref':10,'topic':'" + topic + "'");
      client.readUntil(() -> client.received(10).contains("unsubscribed"));
      publisher.send(topic, publisher.session().createObjectMessage("x"));
      client.readUntil(
          () ->
              client.received(5).contains("gap unsupported")
                  && client.received(4_294_967_295L).contains("gap unsupported"));
      assertThat(client.received(4)).containsExactly(numbers(3, 8));
      assertThat(client.received(0)).containsExactly(numbers(6, 9));
    }
  }

  @ParameterizedTest
  @EnumSource(Encoding.class)
  void shouldResumeEachSubscriptionByItsPosition(Encoding encoding) throws Exception {
    String topic = "back." + encoding.ordinal();
    JsonNode first;
    JsonNode second;
    try (Client holder = new Client(Encoding.JSON)) {
      holder.subscribe(topic, 1, "");
      try (Client client = new Client(encoding)) {
        client.subscribe(topic, 4, ",'tagged':true");
        publish(topic, 1, 2);
        client.readUntil(() -> client.received(4).contains("2"));
        first = client.position(4);
        client.subscribe(topic, 5, ",'tagged':true");
        publish(topic, 3, 4);
        client.readUntil(() -> client.received(5).contains("4"));
        second = client.position(5);
      }
      publish(topic, 5, 6);
      holder.readUntil(() -> holder.received(0).contains("6"));
      try (Client client = new Client(encoding)) {
        client.subscribe(topic, 7, ",'tagged':true,'from':" + second);
        client.subscribe(topic, 8, ",'tagged':true,'from':" + first);
        publish(topic, 7, 7);
        client.readUntil(
            () -> client.received(7).contains("7") && client.received(8).contains("7"));
        assertThat(client.answers.get(7L).get("recovered").asBoolean()).isTrue();
        assertThat(client.answers.get(8L).get("recovered").asBoolean()).isTrue();
        assertThat(client.received(7)).containsExactly(numbers(5, 7));
        assertThat(client.received(8)).containsExactly(numbers(3, 7));
      }
    }
  }

  @Test
  void shouldSendTheSameBytesToPlainSubscriptionsAsWithoutTaggedOnes() throws Exception {
    try (RawWebSocket old = node.json();
        RawWebSocket mixed = node.json()) {
      JsonNode answer = old.subscribe(1, "bytes");
      JsonNode other = mixed.subscribe(1, "bytes");
      assertThat(List.copyOf(names(other))).isEqualTo(List.copyOf(names(answer)));
      mixed.text("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"bytes\"}");
      assertThat(mixed.await("error").get("code").asText()).isEqualTo("already-subscribed");
      mixed.text("{\"type\":\"subscribe\",\"ref\":4,\"topic\":\"bytes\",\"tagged\":true}");
      assertThat(mixed.await("subscribed").get("tagged").asBoolean()).isTrue();
      publish("bytes", 1, 20);
      publisher.send("bytes", publisher.session().createObjectMessage("x"));
      assertThat(plain(mixed)).isEqualTo(plain(old)).hasSize(21);
    }
  }

  private static List<String> names(JsonNode frame) {
    List<String> names = new ArrayList<>();
    frame.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Messages and gaps without a ref, letter for letter, up to the first gap. */
  private static List<String> plain(RawWebSocket client) {
    List<String> plain = new ArrayList<>();
    while (plain.isEmpty() || !plain.get(plain.size() - 1).contains("\"gap\"")) {
      String text = client.readText();
      JsonNode frame = parse(text);
      String type = frame.get("type").asText();
      if (!frame.has("ref") && (type.equals("message") || type.equals("gap"))) {
        plain.add(text);
      }
    }
    // The gap's time is that of its loop's turn.
    plain.set(plain.size() - 1, plain.get(plain.size() - 1).replaceAll("\"time\":\\d+", ""));
    return plain;
  }

  @Tag("full")
  @Test
  void shouldServeATaggedSubscriptionOfAClientThatDoesNotRead() throws Exception {
    try (Client slow = new Client(Encoding.JSON);
        Client quick = new Client(Encoding.JSON)) {
      slow.subscribe("slow", 4, ",'tagged':true");
      slow.subscribe("slow", 5, ",'tagged':true,'delivery':'latest'");
      quick.subscribe("slow", 4, ",'tagged':true");
      String filler = " " + "x".repeat(16 * 1024);
      double before = node.metric("sluice_messages_in_total");
      int last = 0;
      while (last < 2_000) {
        publisher.text("slow", ++last + filler);
        String number = String.valueOf(last);
        quick.readUntil(() -> quick.received(4).contains(number));
      }
      assertThat(quick.received(4)).containsExactly(numbers(1, last));
      await().until(() -> node.metric("sluice_messages_in_total") - before >= 2_000);
      slow.readUntil(
          () -> slow.received(4).contains("gap overload") && slow.received(5).contains("2000"));
      assertThat(slow.received(5)).doesNotHaveDuplicates();
      publish("slow", 2_001, 2_001);
      slow.readUntil(() -> slow.received(4).contains("2001") && slow.received(5).contains("2001"));
    }
  }
}
