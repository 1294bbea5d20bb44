package io.sluice.gateway.websocket;

import static io.sluice.testkit.ClientFrame.binary;
import static io.sluice.testkit.ClientFrame.continuation;
import static io.sluice.testkit.ClientFrame.join;
import static io.sluice.testkit.ClientFrame.ping;
import static io.sluice.testkit.ClientFrame.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.EchoConnection;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.Utf8Samples;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conformance to RFC 7692 of a server that echoes. Subclasses provide the server. */
abstract class DeflateConformance {
  private static final String OFFER = "permessage-deflate; client_max_window_bits";
  private static final int DEFLATED = 4;

  /**
   * @param extensions the value of Sec-WebSocket-Extensions, or null to send none
   */
  abstract EchoConnection open(String extensions);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "permessage-deflate",
        "permessage-deflate; client_max_window_bits",
        "permessage-deflate; client_max_window_bits=9",
        "permessage-deflate; server_no_context_takeover",
        "permessage-deflate; client_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; server_max_window_bits=15",
        "permessage-deflate; server_max_window_bits=9, permessage-deflate",
        "x-unknown; a=b, permessage-deflate; client_max_window_bits=\"12\""
      })
  void shouldCompressAfterAcceptableOffers(String offer) {
    try (EchoConnection connection = open(offer)) {
      assertThat(connection.extensions())
          .startsWith("permessage-deflate; ")
          .contains("; client_no_context_takeover");
      assertThat(connection.extensions().contains("server_no_context_takeover"))
          .isEqualTo(offer.contains("server_no_context_takeover"));
      for (int size :
          new int[] {1, 16, 64, 256, 1024, 4096, 8192, 16_384, 32_768, 65_536, 131_072}) {
        for (int count = 0; count < 20; count++) {
          shouldEcho(connection, text(prose(size)), size);
        }
        shouldEcho(connection, binary(noise(size)), 1000);
      }
      shouldClose(connection, 1000, ClientFrame.close(1000, "").bytes());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "permessage-deflate; server_max_window_bits=9",
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; nonsense",
        "permessage-bzip2"
      })
  void shouldStayPlainAfterOtherOffers(String offer) {
    try (EchoConnection connection = open(offer)) {
      assertThat(connection.extensions()).isNull();
      connection.send(text("plain").bytes());
      assertThat(connection.readFrame().text()).isEqualTo("plain");
      shouldClose(connection, 1002, text("x").rsv(DEFLATED).bytes());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000, 1 << 20})
  void shouldAcceptDeflatedMessagesInFragments(int fragment) {
    try (EchoConnection connection = open(OFFER)) {
      for (int size : new int[] {0, 1, 100, 20_000}) {
        shouldEcho(connection, text(prose(size)), fragment);
        shouldEcho(connection, binary(noise(size)), fragment);
      }
    }
  }

  @Test
  void shouldAcceptPlainAndDeflatedMessages() {
    try (EchoConnection connection = open(OFFER)) {
      connection.send(text("not deflated").bytes());
      shouldReceive(connection, "not deflated");
      shouldEcho(connection, text("deflated"), 100);
      connection.send(join(text("plain ").notLast(), ping("p"), continuation("fragments")));
      assertThat(connection.readFrame().opcode()).isEqualTo(ClientFrame.PONG);
      shouldReceive(connection, "plain fragments");
    }
  }

  // The examples of RFC 7692, section 7.2.3, each with the text Hello.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "f248cdc9c90700",
        "000500faff48656c6c6f00",
        "f348cdc9c9070000",
        "f24805000000ffffcac9c90700"
      })
  void shouldAcceptAnyDeflateBlocks(String hex) {
    try (EchoConnection connection = open(OFFER)) {
      byte[] payload = HexFormat.of().parseHex(hex);
      connection.send(text(payload).rsv(DEFLATED).bytes());
      shouldReceive(connection, "Hello");
      byte[] head = Arrays.copyOf(payload, 3);
      byte[] tail = Arrays.copyOfRange(payload, 3, payload.length);
      connection.send(join(text(head).rsv(DEFLATED).notLast(), ping(""), continuation(tail)));
      assertThat(connection.readFrame().opcode()).isEqualTo(ClientFrame.PONG);
      shouldReceive(connection, "Hello");
    }
  }

  @ParameterizedTest
  @CsvSource({"5", "6", "7", "1", "2", "3"})
  void shouldRejectOtherReservedBits(int bits) {
    for (int opcode : new int[] {1, 2, 8, 9, 10}) {
      try (EchoConnection connection = open(OFFER)) {
        shouldClose(connection, 1002, ClientFrame.of(opcode, new byte[] {0}).rsv(bits).bytes());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 10})
  void shouldRejectDeflatedControlFrames(int opcode) {
    try (EchoConnection connection = open(OFFER)) {
      ClientFrame control = ClientFrame.of(opcode, new byte[0]).rsv(DEFLATED);
      shouldClose(connection, 1002, control.bytes());
    }
  }

  @Test
  void shouldRejectTheDeflateBitOnContinuations() {
    try (EchoConnection connection = open(OFFER)) {
      byte[] payload = deflate("Hello".getBytes(StandardCharsets.UTF_8));
      shouldClose(
          connection,
          1002,
          join(text(payload).rsv(DEFLATED).notLast(), continuation("").rsv(DEFLATED)));
    }
  }

  @ParameterizedTest
  @MethodSource("corrupt")
  void shouldRejectCorruptDeflatedData(byte[] payload) {
    try (EchoConnection connection = open(OFFER)) {
      shouldEcho(connection, text("before"), 100);
      shouldClose(connection, 1007, binary(payload).rsv(DEFLATED).bytes());
    }
  }

  static Stream<byte[]> corrupt() {
    byte[] whole = deflate(prose(1000));
    return Stream.concat(
        Stream.of("", "ff", "07", "f248cdc9c907", "000500fafe48656c6c6f00", "f248cd", "0300ff")
            .map(HexFormat.of()::parseHex),
        Stream.of(Arrays.copyOf(whole, whole.length / 2), Arrays.copyOf(whole, whole.length - 1)));
  }

  @ParameterizedTest
  @MethodSource("invalidTexts")
  void shouldRejectDeflatedTextThatIsNotUtf8(byte[] bytes) {
    try (EchoConnection connection = open(OFFER)) {
      shouldClose(connection, 1007, text(deflate(bytes)).rsv(DEFLATED).bytes());
    }
  }

  static Stream<byte[]> invalidTexts() {
    return Utf8Samples.invalid();
  }

  @Test
  void shouldNotInflatePastTheLimit() {
    byte[] bomb = deflate(new byte[EchoConformance.MOST_BYTES + 1]);
    byte[] justRight = deflate(new byte[EchoConformance.MOST_BYTES]);
    try (EchoConnection connection = open(OFFER)) {
      connection.send(binary(justRight).rsv(DEFLATED).bytes());
      assertThat(content(connection)).hasSize(EchoConformance.MOST_BYTES);
      shouldClose(connection, 1009, binary(bomb).rsv(DEFLATED).bytes());
    }
  }

  private static void shouldEcho(EchoConnection connection, ClientFrame message, int fragment) {
    byte[] payload = deflate(message.payload());
    int at = 0;
    do {
      int end = Math.min(payload.length, at + fragment);
      byte[] part = Arrays.copyOfRange(payload, at, end);
      ClientFrame frame =
          at == 0 ? ClientFrame.of(message.opcode(), part).rsv(DEFLATED) : continuation(part);
      connection.send((end == payload.length ? frame : frame.notLast()).bytes());
      at = end;
    } while (at < payload.length);
    assertThat(content(connection)).isEqualTo(message.payload());
  }

  private static void shouldReceive(EchoConnection connection, String text) {
    assertThat(new String(content(connection), StandardCharsets.UTF_8)).isEqualTo(text);
  }

  private static byte[] content(EchoConnection connection) {
    ServerFrame message = ServerFrame.assemble(connection::readFrame);
    assertThat(message.opcode()).as(message::closeReason).isLessThanOrEqualTo(ClientFrame.BINARY);
    return message.rsv() == DEFLATED ? RawWebSocket.inflate(message.payload()) : message.payload();
  }

  private static void shouldClose(EchoConnection connection, int code, byte[] bytes) {
    connection.send(bytes);
    ServerFrame frame = connection.readFrame();
    assertThat(frame.closeCode()).as(frame.closeReason()).isEqualTo(code);
    assertThat(connection.readFrame()).isNull();
  }

  private static byte[] deflate(byte[] content) {
    try (Deflation deflation = new Deflation(UnpooledByteBufAllocator.DEFAULT, 6)) {
      return ByteBufUtil.getBytes(deflation.deflate(Unpooled.wrappedBuffer(content)));
    }
  }

  private static byte[] prose(int size) {
    String line = "{\"symbol\":\"S\",\"price\":101.25,\"currency\":\"€\"}";
    byte[] bytes = line.repeat(size / line.length() + 1).getBytes(StandardCharsets.UTF_8);
    byte[] cut = Arrays.copyOf(bytes, size);
    for (int i = size - 1; i >= 0 && cut[i] < 0; i--) {
      cut[i] = ' ';
    }
    return cut;
  }

  private static byte[] noise(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }
}
