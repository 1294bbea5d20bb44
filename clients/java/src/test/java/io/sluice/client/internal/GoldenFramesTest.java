package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Reads and writes the frames of docs/protocol/golden.json. */
final class GoldenFramesTest {
  private static final Path GOLDEN = Path.of("..", "..", "docs", "protocol", "golden.json");
  private static final long NODE_TIME = 1_763_700_000_500L;

  private static List<Map<String, Object>> section(String name) throws IOException {
    Map<String, Object> all = Frame.object(Json.parse(Files.readString(GOLDEN)), "golden");
    List<Map<String, Object>> frames = new ArrayList<>();
    for (Object frame : (List<?>) all.get(name)) {
      frames.add(Frame.object(frame, "frame"));
    }
    return frames;
  }

  private static ByteBuffer bytes(Object hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex((String) hex));
  }

  /** Returns the members with bytes as base64, as in JSON. */
  private static Map<String, Object> comparable(Frame frame, Frame expected) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (String name :
        List.of(
            "type",
            "ref",
            "tag",
            "topic",
            "pattern",
            "offset",
            "id",
            "time",
            "properties",
            "encoding",
            "removed",
            "redelivered",
            "messageType",
            "correlationId",
            "group",
            "replyTo",
            "payload")) {
      if (frame.has(name)) {
        members.put(name, frame.get(name));
      }
    }
    if (members.get("payload") instanceof byte[] bytes) {
      members.put("encoding", "base64");
      members.put("payload", Base64.getEncoder().encodeToString(bytes));
    }
    assertThat(expected.type()).isEqualTo(frame.type());
    return members;
  }

  private static void assertSame(Frame decoded, Object json) {
    Frame expected = Frame.parse((String) json);
    assertThat(comparable(decoded, expected)).isEqualTo(comparable(expected, expected));
  }

  @TestFactory
  List<DynamicTest> shouldDecodeMessages() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (String name : List.of("messages", "tagged")) {
      for (Map<String, Object> golden : section(name)) {
        tests.add(DynamicTest.dynamicTest(name + " " + golden.get("name"), () -> message(golden)));
      }
    }
    assertThat(tests).hasSizeGreaterThan(6);
    return tests;
  }

  private static void message(Map<String, Object> golden) {
    Frame expected = Frame.parse((String) golden.get("json"));
    BinaryDecoder decoder = new BinaryDecoder();
    String pattern = expected.optionalText("pattern");
    int channel = bytes(golden.get("binary")).getInt(0) & 0xffffff;
    Map<String, Object> subscribed = new LinkedHashMap<>();
    subscribed.put("type", "subscribed");
    subscribed.put("topic", pattern == null ? expected.text("topic") : pattern);
    subscribed.put("offset", expected.number("offset") - 1);
    if (pattern == null) {
      subscribed.put("channel", (long) channel);
    }
    if (expected.has("ref")) {
      subscribed.put("ref", expected.ref());
      subscribed.put("tagged", true);
    }
    decoder.observe(Frame.of(subscribed));
    if (pattern != null) {
      decoder.observe(
          Frame.of(
              Map.of(
                  "type",
                  "channel",
                  "channel",
                  (long) channel,
                  "pattern",
                  pattern,
                  "topic",
                  expected.text("topic"))));
    }
    assertSame(decoder.decode(bytes(golden.get("binary")), NODE_TIME), golden.get("json"));
  }

  @TestFactory
  List<DynamicTest> shouldDecodeDeliveries() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Map<String, Object> golden : section("deliveries")) {
      tests.add(DynamicTest.dynamicTest((String) golden.get("name"), () -> delivery(golden)));
    }
    assertThat(tests).hasSizeGreaterThan(5);
    return tests;
  }

  private static void delivery(Map<String, Object> golden) {
    Frame expected = Frame.parse((String) golden.get("json"));
    BinaryDecoder decoder = new BinaryDecoder();
    if (expected.has("tag")) {
      long before = expected.number("tag") - 1;
      Map<String, Object> consuming = Map.of("type", "consuming", "ref", expected.ref());
      decoder.observe(Frame.of(consuming));
      decoder.observe(Frame.of(Map.of("type", "delivery", "ref", expected.ref(), "tag", before)));
    }
    assertSame(decoder.decode(bytes(golden.get("binary")), NODE_TIME), golden.get("json"));
  }

  @TestFactory
  List<DynamicTest> shouldEncodePublishes() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (String name : List.of("clientBinary", "publishesBinary")) {
      for (Map<String, Object> golden : section(name)) {
        tests.add(DynamicTest.dynamicTest((String) golden.get("name"), () -> publish(golden)));
      }
    }
    assertThat(tests).hasSize(4);
    return tests;
  }

  private static void publish(Map<String, Object> golden) {
    Map<String, Object> frame = new LinkedHashMap<>();
    frame.put("type", "publish");
    frame.put("ref", golden.get("ref"));
    if (golden.containsKey("topic")) {
      frame.put("topic", golden.get("topic"));
    }
    boolean isText = golden.containsKey("payload");
    frame.put("payload", isText ? golden.get("payload") : bytes(golden.get("payloadHex")).array());
    if (golden.containsKey("members")) {
      frame.putAll(Frame.object(golden.get("members"), "members"));
    }
    assertThat(HexFormat.of().formatHex(FrameEncoder.binary(frame)))
        .isEqualTo(golden.get("binary"));
  }

  @TestFactory
  List<DynamicTest> shouldReadTextFrames() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (String name : List.of("server", "replies", "queues", "presence")) {
      for (Map<String, Object> golden : section(name)) {
        String text = (String) golden.get("text");
        tests.add(
            DynamicTest.dynamicTest(
                name + " " + golden.get("name"),
                () -> {
                  Frame frame = Frame.parse(text);
                  new BinaryDecoder().observe(frame);
                  assertThat(frame.type())
                      .isEqualTo(Frame.object(Json.parse(text), "").get("type"));
                }));
      }
    }
    return tests;
  }

  @Test
  void shouldEncodeOtherFramesAsText() {
    Map<String, Object> publish = new LinkedHashMap<>();
    publish.put("type", "publish");
    publish.put("ref", 0x1_0000_0000L);
    publish.put("topic", "a");
    publish.put("payload", new byte[] {1});
    assertThat(FrameEncoder.binary(publish)).as("ref of 33 bits").isNull();
    assertThat(FrameEncoder.text(publish))
        .endsWith("\"payload\":\"AQ==\",\"encoding\":\"base64\"}");
    publish.put("ref", 1L);
    publish.put("topic", "a".repeat(65_536));
    assertThat(FrameEncoder.binary(publish)).as("topic of 64 KiB").isNull();
    publish.put("topic", "a");
    publish.put("properties", Map.of("p", "x".repeat(65_536)));
    assertThat(FrameEncoder.binary(publish)).as("members of 64 KiB").isNull();
    publish.put("type", "request");
    assertThat(FrameEncoder.binary(publish)).isNull();
  }

  @Test
  void shouldRejectShortFramesAndUnknownChannels() {
    BinaryDecoder decoder = new BinaryDecoder();
    assertThat(decoder.decode(bytes("0f00"), NODE_TIME)).as("unknown type").isNull();
    assertThatThrownBy(() -> decoder.decode(bytes("02000000"), NODE_TIME))
        .isInstanceOf(BadFrameException.class)
        .hasMessage("binary frame is too short: 4 bytes");
    assertThatThrownBy(() -> decoder.decode(bytes(""), NODE_TIME))
        .hasMessage("binary frame is too short: 0 bytes");
    assertThatThrownBy(() -> decoder.decode(bytes("01000007" + "00".repeat(16)), NODE_TIME))
        .hasMessage("binary message on the unknown channel 7");
    assertThatThrownBy(() -> decoder.decode(bytes("0100"), NODE_TIME))
        .isInstanceOf(BadFrameException.class);
  }

  @Test
  void shouldWidenOffsets() {
    OffsetWidening replay = new OffsetWidening(0x1_0000_0001L, 3);
    assertThat(replay.widen(0xffffffffL)).isEqualTo(0xffffffffL);
    assertThat(replay.widen(0)).isEqualTo(0x1_0000_0000L);
    assertThat(replay.widen(1)).isEqualTo(0x1_0000_0001L);
    assertThat(replay.widen(2)).as("live").isEqualTo(0x1_0000_0002L);
    assertThat(replay.widen(1)).isEqualTo(0x2_0000_0001L);
    assertThat(OffsetWidening.after(7).widen(7)).isEqualTo(0x1_0000_0007L);
  }
}
