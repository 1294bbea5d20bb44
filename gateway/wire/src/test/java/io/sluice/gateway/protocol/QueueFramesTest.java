package io.sluice.gateway.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.protocol.queue.ListedDurable;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.queue.Reply;
import io.sluice.testkit.Golden;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class QueueFramesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long TIME = 1763700000000L;

  private final QueueFrames frames = new QueueFrames(UnpooledByteBufAllocator.DEFAULT);
  private final ServerFrames serverFrames = new ServerFrames(UnpooledByteBufAllocator.DEFAULT);

  @Test
  void shouldWriteGoldenFrames() {
    check("consuming", frames.consuming(7, ConsumerSource.queue("orders")));
    check("settled", frames.settled(8, 7));
    check("released after a timeout", frames.released(7, 12, ReleaseReason.TIMEOUT));
    check("released with the broker", frames.released(7, 0, ReleaseReason.BROKER_LOST));
    check("committed", frames.committed(9));
    check("browsed", frames.browsed(9, "orders", 3, true, 0));
    check("browsed past messages", frames.browsed(9, "orders", 0, false, 2));
    check("unsubscribed from a queue", frames.unsubscribed(9, Destination.queue("orders"), 7));
    check(
        "error of a queue",
        serverFrames.error(
            7,
            ErrorCode.FORBIDDEN,
            "queue is not served by this node: \"orders\"",
            Destination.queue("orders")));
    check(
        "error of a settlement",
        frames.error(8, ErrorCode.NOT_PENDING, "tag 12 is not pending", 7, 12));
    check(
        "error of a credit",
        frames.error(ClientFrame.NO_REF, ErrorCode.NOT_PENDING, "no consumer has ref 7", 7, 0));
  }

  @Test
  void shouldWriteGoldenReplies() {
    Reply text = reply(0x9e3779b97f4a7c15L, PayloadKind.TEXT, "1.0934", null, "quote");
    checkReply("reply", frames.reply(3, text));
    byte[] bytes = {0, (byte) 0xff, 0x10};
    Reply binary = new Reply(255, TIME, PayloadKind.BYTES, bytes, null, null);
    checkReply("reply with bytes", frames.reply(1L << 32, binary));
    byte[] properties = "{\"region\":\"EU\"}".getBytes(StandardCharsets.UTF_8);
    Reply json = reply(0x9e3779b97f4a7c15L, PayloadKind.JSON, "{\"bid\":1.0934}", properties, null);
    checkReply("reply with JSON and properties", frames.reply(3, json));
  }

  private static Reply reply(
      long identity, PayloadKind kind, String payload, byte[] properties, String messageType) {
    byte[] content = payload.getBytes(StandardCharsets.UTF_8);
    return new Reply(identity, TIME, kind, content, properties, messageType);
  }

  private static void checkReply(String name, ByteBuf frame) {
    assertThat(utf8(frame)).isEqualTo(Golden.text("replies", name));
  }

  @Test
  void shouldEscapeTheTextOfAReply() {
    Reply reply = reply(1, PayloadKind.TEXT, "a\"\n\u0000é", null, null);
    assertThat(utf8(frames.reply(3, reply))).endsWith("\"payload\":\"a\\\"\\n\\u0000é\"}");
  }

  @Test
  void shouldWriteGoldenFramesOfSubscriptions() {
    check(
        "consuming from a durable subscription",
        frames.consuming(7, ConsumerSource.durable("orders.eu", "desk-1")));
    check(
        "consuming from a shared subscription",
        frames.consuming(7, ConsumerSource.shared("orders.>", "workers")));
    check(
        "unsubscribed from a durable subscription",
        frames.unsubscribed(9, Destination.topic("orders.eu"), 7));
    check(
        "error of a durable subscription",
        serverFrames.error(
            7,
            ErrorCode.SUBSCRIPTION_EXISTS,
            "the subscription has another selector",
            Destination.topic("orders.eu")));
    check("deleted", frames.deleted(6, "orders.eu", "desk-1"));
    check(
        "error of a delete",
        serverFrames.error(
            6,
            ErrorCode.SUBSCRIPTION_IN_USE,
            "the subscription has 1 consumer",
            Destination.topic("orders.eu")));
  }

  @Test
  void shouldWriteGoldenLists() {
    ListedDurable unknown = new ListedDurable("orders.>", "Desk_2", null, -1, -1);
    ListedDurable known = new ListedDurable("orders.eu", "desk-1", "region = 'EU'", 12, 0);
    check("listed", frames.listed(5, List.of(unknown, known), false));
    check("listed without a subscription", frames.listed(5, List.of(), false));
    ListedDurable one = new ListedDurable("orders.eu", "desk-1", null, 12, 1);
    check("listed in part", frames.listed(5, List.of(one), true));
  }

  static Stream<JsonNode> golden() {
    return Golden.section("deliveries");
  }

  @ParameterizedTest
  @MethodSource("golden")
  void shouldWriteGoldenDeliveries(JsonNode golden) {
    long ref = golden.get("ref").asLong();
    QueueDelivery delivery = delivery(golden);
    assertThat(new String(payload(frames.delivery(ref, delivery, false)), StandardCharsets.UTF_8))
        .isEqualTo(golden.get("json").asText());
    assertThat(HexFormat.of().formatHex(payload(frames.delivery(ref, delivery, true))))
        .isEqualTo(golden.get("binary").asText());
  }

  private static QueueDelivery delivery(JsonNode golden) {
    JsonNode properties = golden.get("properties");
    return new QueueDelivery(
        golden.path("tag").asLong(),
        redelivery(golden.path("redelivered").asText()),
        HexFormat.fromHexDigitsToLong(golden.get("id").asText()),
        golden.get("time").asLong(),
        PayloadKind.valueOf(golden.get("kind").asText().toUpperCase(Locale.ROOT)),
        Golden.payload(golden),
        properties == null ? null : properties.toString().getBytes(StandardCharsets.UTF_8),
        text(golden, "messageType"),
        text(golden, "correlationId"),
        replyTo(golden.path("replyTo")),
        text(golden, "group"),
        text(golden, "topic"));
  }

  private static Redelivery redelivery(String mark) {
    return switch (mark) {
      case "" -> Redelivery.NONE;
      case "unknown" -> Redelivery.UNKNOWN;
      default -> Redelivery.COUNTED;
    };
  }

  private static String text(JsonNode golden, String member) {
    return golden.has(member) ? golden.get(member).asText() : null;
  }

  private static Destination replyTo(JsonNode replyTo) {
    if (replyTo.has("topic")) {
      return Destination.topic(replyTo.get("topic").asText());
    }
    return replyTo.has("queue") ? Destination.queue(replyTo.get("queue").asText()) : null;
  }

  @Test
  void shouldWriteTooLongMembersAsJson() throws Exception {
    String longest = "x".repeat(0xFFFF - "{'correlationId':''}".length());
    assertThat(payload(frames.delivery(7, correlated(longest), true))[0]).isEqualTo((byte) 0x42);
    JsonNode json = JSON.readTree(payload(frames.delivery(7, correlated(longest + "x"), true)));
    assertThat(json.get("type").asText()).isEqualTo("delivery");
    assertThat(json.get("correlationId").asText()).isEqualTo(longest + "x");
    assertThat(json.get("payload").asText()).isEqualTo("\u0001\"€");
  }

  private static QueueDelivery correlated(String id) {
    byte[] text = "\u0001\"€".getBytes(StandardCharsets.UTF_8);
    return new QueueDelivery(
        1, Redelivery.NONE, 2, 3, PayloadKind.TEXT, text, null, null, id, null, null, null);
  }

  @Test
  void shouldAllocateAUsualFrameOnce() {
    for (boolean binary : new boolean[] {false, true}) {
      byte[] text = "x".repeat(10_000).getBytes(StandardCharsets.UTF_8);
      QueueDelivery delivery =
          new QueueDelivery(
              1,
              Redelivery.COUNTED,
              2,
              3,
              PayloadKind.TEXT,
              text,
              new byte[] {'{', '}'},
              "t",
              "c",
              null,
              "g",
              null);
      ByteBuf frame = frames.delivery(7, delivery, binary);
      assertThat(frame.capacity()).as("not grown").isLessThan(12_000);
      frame.release();
    }
  }

  private static void check(String name, ByteBuf frame) {
    assertThat(utf8(frame)).isEqualTo(Golden.text("queues", name));
  }

  private static String utf8(ByteBuf frame) {
    return new String(payload(frame), StandardCharsets.UTF_8);
  }

  private static byte[] payload(ByteBuf frame) {
    int length = frame.getByte(frame.readerIndex() + 1);
    frame.skipBytes(length < 126 ? 2 : length == 126 ? 4 : 10);
    byte[] payload = ByteBufUtil.getBytes(frame);
    frame.release();
    assertThat(frame.refCnt()).isZero();
    return payload;
  }
}
