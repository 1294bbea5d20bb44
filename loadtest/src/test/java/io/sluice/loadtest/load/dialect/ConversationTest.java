package io.sluice.loadtest.load.dialect;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Recognition of messages in each open protocol, at every split of the bytes. */
class ConversationTest {
  private static final String STAMP = "TS=1763700000000000001 SEQ=";
  private static final int TEXT = 0x81;
  private static final int BINARY = 0x82;
  private static final int BINARY_BEGINS = 0x02;
  private static final int ENDS = 0x80;
  private static final int PING = 0x89;
  private static final int CLOSE = 0x88;

  /** Sample of a server's bytes, and the events that a client must recognize. */
  private enum Sample {
    STOMP(
        new StompDialect(options(null)),
        stomp(),
        List.of(
            "sent SUBSCRIBE\nid:1\ndestination:a.1\nack:auto\nreceipt:1\n\n\0",
            "subscribed",
            "message " + STAMP + "1 " + "x".repeat(64 - STAMP.length() - 2),
            "sent hello",
            "message " + STAMP + "2 short",
            "message ",
            "message " + STAMP + "3 y",
            "refused no more",
            "sent \u0003\u00e8",
            "closed was closed with 1000")),
    MQTT(
        new MqttDialect(options(null)),
        mqtt(),
        List.of(
            "sent \u0082\u0008\0\u0001\0\u0003a.1\0",
            "subscribed",
            "message " + STAMP + "1 " + "x".repeat(64 - STAMP.length() - 2),
            "message " + STAMP + "2 short",
            "message ",
            "message " + STAMP + "3 y")),
    SSE(
        new SseDialect(options(null)),
        sse(),
        List.of(
            "message  " + STAMP + "1 short",
            "message " + STAMP + "2 " + "x".repeat(256 - 5 - STAMP.length() - 2),
            "gap",
            "message  two",
            "refused denied",
            "closed ended by the end of the response"));

    private final Dialect dialect;
    private final byte[] bytes;
    private final List<String> events;

    Sample(Dialect dialect, byte[] bytes, List<String> events) {
      this.dialect = dialect;
      this.bytes = bytes;
      this.events = events;
    }

    private List<String> read(int... ends) {
      Recorder recorder = new Recorder();
      Conversation conversation =
          this == SSE
              ? new SseConversation(true, recorder)
              : dialect.conversation(dialect.handshake("a.1"), "a.1", recorder);
      ByteBuf scratch = Unpooled.buffer(1);
      int start = 0;
      for (int end : ends) {
        ByteBuf part = Unpooled.copiedBuffer(bytes, start, end - start);
        assertThat(conversation.read(part, scratch)).isNull();
        assertThat(part.isReadable()).isFalse();
        start = end;
      }
      return recorder.events();
    }
  }

  private static DialectOptions options(String token) {
    return new DialectOptions("localhost:8080", "/topics", token, false, true);
  }

  private static byte[] stomp() {
    String one = message(STAMP + "1 " + "x".repeat(500), "content-length:529\n");
    String two = message(STAMP + "2 short", "");
    return concat(
        frame(TEXT, "CONNECTED\nversion:1.2\n\n\0\n"),
        frame(TEXT, "RECEIPT\r\nreceipt-id:1\r\n\r\n\0"),
        frame(BINARY, one),
        frame(BINARY_BEGINS, two.substring(0, 30)),
        frame(PING, "hello"),
        frame(ENDS, two.substring(30) + "\n\n" + message("", "content-length:0\n")),
        frame(BINARY, message(STAMP + "3 y", "Content-Length:1\n")),
        frame(TEXT, "ERROR\nmessage:no more\n\ndetails\0"),
        frame(CLOSE, "\u0003\u00e8"));
  }

  private static String message(String body, String header) {
    return "MESSAGE\nsubscription:1\n" + header + "destination:a.1\n\n" + body + "\0";
  }

  private static byte[] mqtt() {
    String two = publish(0x30, STAMP + "2 short");
    return concat(
        frame(BINARY, "\u0020\u0002\0\0"),
        frame(BINARY, "\u0090\u0003\0\u0001\0"),
        frame(BINARY, publish(0x30, STAMP + "1 " + "x".repeat(20_000))),
        frame(BINARY, "\u00d0\0" + two.substring(0, 9)),
        frame(BINARY, two.substring(9) + publish(0x30, "")),
        frame(BINARY, publish(0x32, "\0\u0007" + STAMP + "3 y")));
  }

  private static String publish(int first, String rest) {
    String body = "\0\u0003a.1" + rest;
    StringBuilder packet = new StringBuilder().append((char) first);
    int left = body.length();
    for (; left > 127; left >>= 7) {
      packet.append((char) (left & 127 | 128));
    }
    return packet.append((char) left).append(body).toString();
  }

  private static byte[] sse() {
    String events =
        ": hello\n\n"
            + ("id: 1\nevent: message\ndata: " + STAMP + "1 short\n\n")
            + ("id: 2\r\ndata:" + STAMP + "2 " + "x".repeat(900) + "\r\n\r\n")
            + "event: gap\ndata: {}\n\nevent: snapshot\ndata: {}\n\n"
            + "data: two\ndata: lines\n\nevent: error\ndata: denied\n\n";
    int half = 100;
    return concat(
        chunk(events.substring(0, half), ""),
        chunk(events.substring(half), ";name=value"),
        "0\r\n\r\n".getBytes(ISO_8859_1));
  }

  private static byte[] chunk(String data, String extension) {
    return (Integer.toHexString(data.length()) + extension + "\r\n" + data + "\r\n")
        .getBytes(ISO_8859_1);
  }

  private static byte[] frame(int first, String payload) {
    ByteBuf frame = Unpooled.buffer().writeByte(first);
    if (payload.length() < 126) {
      frame.writeByte(payload.length());
    } else {
      frame.writeByte(126).writeShort(payload.length());
    }
    frame.writeCharSequence(payload, ISO_8859_1);
    byte[] bytes = new byte[frame.readableBytes()];
    frame.readBytes(bytes);
    return bytes;
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  @ParameterizedTest
  @EnumSource
  void shouldRecognizeFrames(Sample sample) {
    assertThat(sample.read(sample.bytes.length)).isEqualTo(sample.events);
  }

  @ParameterizedTest
  @EnumSource
  void shouldRecognizeFramesSplitAtEveryPosition(Sample sample) {
    for (int at = 0; at < Math.min(3000, sample.bytes.length); at++) {
      assertThat(sample.read(at, sample.bytes.length))
          .as("split at %d", at)
          .isEqualTo(sample.events);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRecognizeFramesInSmallParts(Sample sample) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 50; i++) {
      int most = random.nextInt(2, 60);
      int[] ends =
          random
              .ints(sample.bytes.length, 1, most)
              .collect(
                  java.util.ArrayList<Integer>::new,
                  (list, step) -> list.add(step + (list.isEmpty() ? 0 : list.get(list.size() - 1))),
                  java.util.ArrayList::addAll)
              .stream()
              .mapToInt(end -> Math.min(end, sample.bytes.length))
              .distinct()
              .toArray();

      assertThat(sample.read(ends)).as("seed %d", seed).isEqualTo(sample.events);
    }
  }

  @Test
  void shouldWriteRequestsWithToken() {
    ByteBuf out = Unpooled.buffer();
    new StompConversation("t0ken", "a", new Recorder()).begin(out);
    assertThat(Recorder.payload(out))
        .isEqualTo(
            "CONNECT\naccept-version:1.2\nhost:/\nheart-beat:0,0\nlogin:sluice-load\n"
                + "passcode:t0ken\n\n\0");

    out.clear();
    new MqttConversation("t0ken", "a", new Recorder()).begin(out);
    assertThat(Recorder.payload(out))
        .isEqualTo("\u0010\u0020\0\u0004MQTT\u0004\u00c2\0\0\0\0\0\u000bsluice-load\0\u0005t0ken");

    out.clear();
    new StreamHandshake(options("t0ken"), "a b/c").writeRequest(out);
    assertThat(out.toString(ISO_8859_1))
        .startsWith("GET /topics/a%20b%2Fc HTTP/1.1\r\nHost: localhost:8080\r\n")
        .contains("\r\nAccept: text/event-stream\r\n", "\r\nAuthorization: Bearer t0ken\r\n");
  }

  @Test
  void shouldReportRejectedMqttClient() {
    Recorder recorder = new Recorder();
    Conversation conversation = new MqttConversation(null, "a", recorder);
    byte[] bytes =
        concat(frame(BINARY, "\u0020\u0002\0\u0005"), frame(BINARY, "\u0090\u0003\0\u0001\u0080"));

    assertThat(conversation.read(Unpooled.wrappedBuffer(bytes), Unpooled.buffer())).isNull();
    assertThat(recorder.events())
        .containsExactly(
            "refused CONNACK with return code 5", "refused SUBACK with return code 128");
  }

  @Test
  void shouldRejectEndlessHeader() {
    Conversation conversation = new StompConversation(null, "a", new Recorder());
    ByteBuf scratch = Unpooled.buffer();
    String fault = null;
    for (int i = 0; fault == null && i < 10; i++) {
      ByteBuf part = Unpooled.wrappedBuffer(frame(BINARY, "h".repeat(4000)));
      fault = conversation.read(part, scratch);
    }

    assertThat(fault).isEqualTo("a frame's header exceeds 16384 bytes");
  }

  @Test
  void shouldRejectOtherContent() {
    StreamHandshake handshake = new StreamHandshake(options(null), "a");
    String head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

    assertThat(handshake.read(Unpooled.copiedBuffer(head, ISO_8859_1))).isTrue();
    assertThat(handshake.fault(Unpooled.EMPTY_BUFFER))
        .isEqualTo("the response is 'text/html' instead of text/event-stream");
  }
}
