package io.sluice.gateway.websocket;

import static io.sluice.testkit.ClientFrame.binary;
import static io.sluice.testkit.ClientFrame.continuation;
import static io.sluice.testkit.ClientFrame.join;
import static io.sluice.testkit.ClientFrame.ping;
import static io.sluice.testkit.ClientFrame.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.ClientFrame.LengthForm;
import io.sluice.testkit.EchoConnection;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.Utf8Samples;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Conformance to RFC 6455 of a server that echoes messages of up to 16 MiB. Subclasses provide the
 * server.
 */
abstract class EchoConformance {
  static final int MOST_BYTES = 16 * 1024 * 1024;

  private EchoConnection connection;

  /**
   * @param extensions the value of Sec-WebSocket-Extensions, or null to send none
   */
  abstract EchoConnection open(String extensions);

  @BeforeEach
  void openPlain() {
    connection = open(null);
  }

  @AfterEach
  void closeConnection() {
    connection.close();
  }

  // ---- framing

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 125, 126, 127, 128, 65_535, 65_536})
  void shouldEchoMessagesOfEveryLengthForm(int size) {
    for (int piece : new int[] {Integer.MAX_VALUE, 997, 7}) {
      shouldEcho(text(letters(size)), piece);
      shouldEcho(binary(noise(size)), piece);
    }
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {65_537, 1 << 18, 1 << 20, 1 << 22, MOST_BYTES})
  void shouldEchoLargeMessages(int size) {
    shouldEcho(text(letters(size)), 1 << 16);
    shouldEcho(binary(noise(size)), 4093);
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 1000, 65_536, 1 << 20})
  void shouldEchoLargeMessagesInFragments(int fragment) {
    byte[] payload = noise(1 << 20);
    for (int at = 0; at < payload.length; at += fragment) {
      int end = Math.min(at + fragment, payload.length);
      byte[] part = Arrays.copyOfRange(payload, at, end);
      ClientFrame frame = at == 0 ? binary(part) : continuation(part);
      connection.send((end == payload.length ? frame : frame.notLast()).bytes());
    }
    assertThat(readMessage().payload()).isEqualTo(payload);
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 64, 256, 1024})
  void shouldEchoManyMessagesInARow(int size) {
    for (int i = 0; i < 300; i++) {
      shouldEcho(i % 2 == 0 ? text(letters(size)) : binary(noise(size)), Integer.MAX_VALUE);
    }
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1, 0x80000000, 0x01020304})
  void shouldUnmaskWithAnyMask(int mask) {
    shouldEcho(text(letters(100)).mask(mask), 3);
  }

  @ParameterizedTest
  @MethodSource("wrongLengths")
  void shouldRejectLengthsNotInTheirShortestForm(ClientFrame frame) {
    shouldFail(1002, frame.bytes());
  }

  static Stream<ClientFrame> wrongLengths() {
    return Stream.of(
        text(letters(125)).lengthForm(LengthForm.BITS_16),
        text(letters(125)).lengthForm(LengthForm.BITS_64),
        binary(noise(65_535)).lengthForm(LengthForm.BITS_64),
        text("").claiming(Long.MIN_VALUE),
        text("").claiming(-1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 8, 9, 10})
  void shouldRejectFramesWithoutMask(int opcode) {
    shouldFail(1002, ClientFrame.of(opcode, new byte[0]).unmasked().bytes());
  }

  // ---- pings and pongs

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 124, 125})
  void shouldAnswerPingsWithTheirPayload(int size) {
    for (int piece : new int[] {Integer.MAX_VALUE, 1}) {
      byte[] payload = noise(size);
      sendInPieces(ClientFrame.of(ClientFrame.PING, payload).bytes(), piece);
      shouldReceive(ClientFrame.PONG, payload);
    }
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 10})
  void shouldRejectControlFramesThatAreTooLong(int opcode) {
    shouldFail(1002, ClientFrame.of(opcode, new byte[126]).bytes());
  }

  @Test
  void shouldIgnoreUnsolicitedPongs() {
    connection.send(join(pong(""), pong("hello"), ping("ping")));
    shouldReceive(ClientFrame.PONG, bytes("ping"));
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, Integer.MAX_VALUE})
  void shouldAnswerManyPingsInOrder(int piece) {
    byte[] pings =
        join(IntStream.range(0, 10).mapToObj(i -> ping("ping " + i)).toArray(ClientFrame[]::new));
    sendInPieces(pings, piece);
    for (int i = 0; i < 10; i++) {
      shouldReceive(ClientFrame.PONG, bytes("ping " + i));
    }
    shouldClose();
  }

  // ---- reserved bits and opcodes

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "4", "5", "6", "7"})
  void shouldRejectReservedBits(int bits) {
    for (int opcode : new int[] {1, 2, 8, 9, 10}) {
      failAfterEcho(ClientFrame.of(opcode, new byte[0]).rsv(bits));
    }
    reopen();
    connection.send(text("a").notLast().bytes());
    shouldFail(1002, continuation("b").rsv(bits).bytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 6, 7, 11, 12, 13, 14, 15})
  void shouldRejectReservedOpcodes(int opcode) {
    failAfterEcho(ClientFrame.of(opcode, new byte[0]));
    failAfterEcho(ClientFrame.of(opcode, bytes("payload")));
  }

  private void failAfterEcho(ClientFrame wrong) {
    reopen();
    connection.send(join(text("before"), wrong, ping("after"), text("after")));
    shouldReceive(ClientFrame.TEXT, bytes("before"));
    shouldBeClosed(1002);
  }

  // ---- fragmentation

  @ParameterizedTest
  @ValueSource(ints = {1, 3, Integer.MAX_VALUE})
  void shouldReassembleFragments(int piece) {
    sendInPieces(join(text("fragment1").notLast(), continuation("fragment2")), piece);
    shouldReceive(ClientFrame.TEXT, bytes("fragment1fragment2"));
    sendInPieces(
        join(binary(bytes("a")).notLast(), continuation("b").notLast(), continuation("c")), piece);
    shouldReceive(ClientFrame.BINARY, bytes("abc"));
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, Integer.MAX_VALUE})
  void shouldAnswerPingsBetweenFragmentsAtOnce(int piece) {
    sendInPieces(join(text("one").notLast(), ping("first")), piece);
    shouldReceive(ClientFrame.PONG, bytes("first"));
    sendInPieces(join(continuation("two").notLast(), pong("ignored"), ping("second")), piece);
    shouldReceive(ClientFrame.PONG, bytes("second"));
    sendInPieces(continuation("three").bytes(), piece);
    shouldReceive(ClientFrame.TEXT, bytes("onetwothree"));
    shouldClose();
  }

  @Test
  void shouldAcceptEmptyFragments() {
    connection.send(join(text("").notLast(), continuation("").notLast(), continuation("")));
    shouldReceive(ClientFrame.TEXT, new byte[0]);
    connection.send(join(text("").notLast(), continuation("middle").notLast(), continuation("")));
    shouldReceive(ClientFrame.TEXT, bytes("middle"));
    connection.send(join(text("").notLast(), continuation("end")));
    shouldReceive(ClientFrame.TEXT, bytes("end"));
    shouldClose();
  }

  @Test
  void shouldAcceptAnyNumberOfFragments() {
    ClientFrame[] frames = new ClientFrame[100_001];
    Arrays.setAll(frames, i -> continuation(i % 10 == 0 ? "x" : "").notLast());
    frames[0] = text("").notLast();
    frames[frames.length - 1] = continuation("");
    connection.send(join(frames));
    assertThat(readMessage().text()).isEqualTo("x".repeat(9_999));
    shouldClose();
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 10})
  void shouldRejectFragmentedControlFrames(int opcode) {
    shouldFail(1002, ClientFrame.of(opcode, new byte[0]).notLast().bytes());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRejectContinuationWithoutAMessage(boolean last) {
    ClientFrame orphan = last ? continuation("orphan") : continuation("orphan").notLast();
    shouldFail(1002, join(orphan, text("after")));
    reopen();
    connection.send(join(text("a").notLast(), continuation("b"), orphan, text("after")));
    shouldReceive(ClientFrame.TEXT, bytes("ab"));
    shouldBeClosed(1002);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldRejectANewMessageInsideAnother(int opcode) {
    shouldFail(1002, join(text("begun").notLast(), ClientFrame.of(opcode, bytes("new"))));
    reopen();
    shouldFail(1002, join(text("begun").notLast(), ClientFrame.of(opcode, new byte[0]).notLast()));
  }

  // ---- UTF-8

  @ParameterizedTest
  @MethodSource("validTexts")
  void shouldEchoValidText(byte[] utf8) {
    shouldEcho(text(utf8), Integer.MAX_VALUE);
    shouldEcho(text(utf8), 1);
    for (int cut = 0; cut <= utf8.length; cut++) {
      byte[] head = Arrays.copyOfRange(utf8, 0, cut);
      byte[] tail = Arrays.copyOfRange(utf8, cut, utf8.length);
      connection.send(join(text(head).notLast(), ping("between"), continuation(tail)));
      shouldReceive(ClientFrame.PONG, bytes("between"));
      shouldReceive(ClientFrame.TEXT, utf8);
    }
    shouldClose();
  }

  static Stream<byte[]> validTexts() {
    return Utf8Samples.valid();
  }

  @ParameterizedTest
  @MethodSource("invalidTexts")
  void shouldRejectInvalidText(byte[] bytes) {
    shouldFail(1007, text(bytes).bytes());
    reopen();
    sendInPieces(text(bytes).bytes(), 1);
    shouldBeClosed(1007);
    reopen();
    int cut = bytes.length / 2;
    byte[] head = Arrays.copyOfRange(bytes, 0, cut);
    shouldFail(
        1007,
        join(text(head).notLast(), continuation(Arrays.copyOfRange(bytes, cut, bytes.length))));
  }

  static Stream<byte[]> invalidTexts() {
    return Utf8Samples.invalid();
  }

  @ParameterizedTest
  @MethodSource("invalidTexts")
  void shouldEchoAnyBytesAsBinary(byte[] bytes) {
    shouldEcho(binary(bytes), 2);
  }

  @ParameterizedTest
  @MethodSource("earlyFailures")
  void shouldRejectTextAtItsFirstInvalidByte(byte[] before, byte[] impossible) {
    // In a fragment that is not the last one.
    connection.send(text(before).notLast().bytes());
    shouldFail(1007, continuation(impossible).notLast().bytes());
    // In a frame that remains incomplete.
    reopen();
    byte[] together = Arrays.copyOf(before, before.length + impossible.length);
    System.arraycopy(impossible, 0, together, before.length, impossible.length);
    byte[] unfinished = text(together).claiming(together.length + 1000L).bytes();
    int flaw = unfinished.length - impossible.length;
    sendInPieces(Arrays.copyOf(unfinished, flaw), 1);
    shouldFail(1007, Arrays.copyOfRange(unfinished, flaw, unfinished.length));
  }

  static Stream<Arguments> earlyFailures() {
    return Utf8Samples.impossibleBytes();
  }

  // ---- close

  @Test
  void shouldCloseWithTheCodeAndReasonOfTheClient() {
    connection.send(ClientFrame.close(1000, "bye").bytes());
    assertThat(shouldBeClosed(1000).payload()).startsWith(3, 0xE8);
  }

  @Test
  void shouldAnswerACloseWithoutCodeWithoutCode() {
    connection.send(ClientFrame.close(new byte[0]).bytes());
    shouldBeClosed(1005);
  }

  @Test
  void shouldAcceptAReasonOf123Bytes() {
    connection.send(ClientFrame.close(1000, "r".repeat(123)).bytes());
    shouldBeClosed(1000);
  }

  @Test
  void shouldRejectAReasonOf124Bytes() {
    shouldFail(1002, ClientFrame.close(1000, "r".repeat(124)).bytes());
  }

  @Test
  void shouldRejectACloseCodeOfOneByte() {
    shouldFail(1002, ClientFrame.close(new byte[] {3}).bytes());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
        4999
      })
  void shouldAcceptValidCloseCodes(int code) {
    connection.send(ClientFrame.close(code, "").bytes());
    shouldBeClosed(code);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 32_768, 65_535})
  void shouldRejectInvalidCloseCodes(int code) {
    shouldFail(1002, ClientFrame.close(code, "").bytes());
    reopen();
    shouldFail(1002, ClientFrame.close(code, "reason").bytes());
  }

  @ParameterizedTest
  @MethodSource("invalidTexts")
  void shouldRejectReasonsThatAreNotUtf8(byte[] bytes) {
    byte[] payload = new byte[2 + bytes.length];
    payload[0] = 3;
    payload[1] = (byte) 0xE8;
    System.arraycopy(bytes, 0, payload, 2, bytes.length);
    shouldFail(1007, ClientFrame.close(payload).bytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, Integer.MAX_VALUE})
  void shouldIgnoreFramesAfterAClose(int piece) {
    byte[] bytes =
        join(ClientFrame.close(1000, ""), text("late"), ping("late"), ClientFrame.close(1001, ""));
    sendInPieces(bytes, Math.min(piece, bytes.length));
    shouldBeClosed(1000);
  }

  @Test
  void shouldCloseInsideAFragmentedMessage() {
    connection.send(join(text("never whole").notLast(), ClientFrame.close(1000, "")));
    shouldBeClosed(1000);
  }

  // ---- steps

  private void reopen() {
    connection.close();
    connection = open(null);
  }

  private void sendInPieces(byte[] bytes, int piece) {
    for (int at = 0; at < bytes.length; at += Math.min(piece, bytes.length - at)) {
      connection.send(Arrays.copyOfRange(bytes, at, at + Math.min(piece, bytes.length - at)));
    }
  }

  private void shouldEcho(ClientFrame frame, int piece) {
    sendInPieces(frame.bytes(), piece);
    ServerFrame echo = readMessage();
    assertThat(echo.opcode()).isEqualTo(frame.opcode());
    assertThat(echo.payload()).isEqualTo(frame.payload());
  }

  private ServerFrame readMessage() {
    ServerFrame message = ServerFrame.assemble(connection::readFrame);
    assertThat(message.rsv()).isZero();
    return message;
  }

  private void shouldReceive(int opcode, byte[] payload) {
    ServerFrame frame = opcode > 2 ? connection.readFrame() : readMessage();
    assertThat(frame.opcode()).isEqualTo(opcode);
    assertThat(frame.payload()).isEqualTo(payload);
  }

  private void shouldFail(int code, byte[] bytes) {
    connection.send(bytes);
    shouldBeClosed(code);
  }

  private ServerFrame shouldBeClosed(int code) {
    ServerFrame frame = connection.readFrame();
    assertThat(frame.opcode()).isEqualTo(ClientFrame.CLOSE);
    assertThat(frame.closeCode()).as(frame.closeReason()).isEqualTo(code);
    assertThat(connection.readFrame()).as("after the close frame").isNull();
    return frame;
  }

  private void shouldClose() {
    connection.send(ClientFrame.close(1000, "").bytes());
    shouldBeClosed(1000);
  }

  private static ClientFrame pong(String payload) {
    return ClientFrame.of(ClientFrame.PONG, bytes(payload));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String letters(int count) {
    return "*".repeat(count);
  }

  private static byte[] noise(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }
}
