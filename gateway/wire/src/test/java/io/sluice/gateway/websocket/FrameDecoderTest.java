package io.sluice.gateway.websocket;

import static io.sluice.testkit.ClientFrame.binary;
import static io.sluice.testkit.ClientFrame.continuation;
import static io.sluice.testkit.ClientFrame.join;
import static io.sluice.testkit.ClientFrame.ping;
import static io.sluice.testkit.ClientFrame.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.FrameDecoder.Limits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameDecoderTest {
  private static final int DEFLATED = 4;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final Inflation inflation = new Inflation();
  private final Recorder recorder = new Recorder();
  private FrameDecoder decoder = new FrameDecoder(new Limits(200, 300), null, recorder);

  /** Records all calls; stops the decoder at a configured event. */
  private final class Recorder implements FrameDecoder.Sink {
    private final List<String> events = new ArrayList<>();
    private String stopAt = "never";
    private boolean failing;
    private boolean retaining;
    private ByteBuf lastBuffer;

    private void record(String event) {
      events.add(event);
      if (failing) {
        throw new IllegalStateException("sink");
      }
      if (event.equals(stopAt)) {
        decoder.stop();
      }
    }

    private String take(ByteBuf payload) {
      lastBuffer = retaining ? payload.retain() : payload;
      return payload.readCharSequence(payload.readableBytes(), StandardCharsets.UTF_8).toString();
    }

    @Override
    public void onText(ByteBuf payload) {
      record("text " + take(payload));
    }

    @Override
    public void onBinary(ByteBuf payload) {
      record("binary " + take(payload));
    }

    @Override
    public void onPing(ByteBuf payload) {
      record("ping " + take(payload));
    }

    @Override
    public void onPong(ByteBuf payload) {
      record("pong " + take(payload));
    }

    @Override
    public void onClose(int code, String reason) {
      record("close " + code + " " + reason);
    }

    @Override
    public void onViolation(CloseCode code, String why) {
      record("violation " + code.code() + " " + why);
    }
  }

  @AfterEach
  void shouldReleaseAllBuffers() {
    decoder.stop();
    inflation.close();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private void read(byte[] bytes) {
    ByteBuf in = allocator.heapBuffer(bytes.length).writeBytes(bytes);
    try {
      decoder.read(in);
      assertThat(in.isReadable()).isFalse();
    } finally {
      assertThat(in.release()).isTrue();
    }
  }

  @Test
  void shouldDeliverCompleteFramesWithoutCopyOrAllocation() {
    ByteBuf in =
        Unpooled.wrappedBuffer(join(text("one"), ping("two"), binary(new byte[] {'3'}), text("4")));
    decoder.read(in);
    assertThat(recorder.events).containsExactly("text one", "ping two", "binary 3", "text 4");
    assertThat(recorder.lastBuffer).isSameAs(in);
    assertThat(in.refCnt()).isOne();
  }

  @Test
  void shouldNotModifyReadOnlyBuffers() {
    byte[] bytes = text("unchanged").bytes();
    ByteBuf in = Unpooled.wrappedBuffer(bytes.clone()).asReadOnly();
    decoder.read(in);
    assertThat(recorder.events).containsExactly("text unchanged");
    assertThat(ByteBufUtil.getBytes(in.readerIndex(0))).isEqualTo(bytes);
  }

  @Test
  void shouldHaveNoBufferBetweenMessages() {
    for (byte single : join(text("a").notLast(), ping("b"), continuation("c"))) {
      read(new byte[] {single});
    }
    assertThat(recorder.events).containsExactly("ping b", "text ac");
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  @Test
  void shouldNotAllocateByTheLengthInAHeader() {
    decoder = new FrameDecoder(new Limits(1 << 30, 1 << 30), null, recorder);
    byte[] bytes = binary(new byte[10]).claiming(1 << 30).bytes();
    read(bytes);
    assertThat(allocator.metric().usedHeapMemory()).isLessThan(1024);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text one", "ping two"})
  void shouldStopWhenTheSinkStopsIt(String event) {
    recorder.stopAt = event;
    read(join(text("o").notLast(), continuation("ne"), ping("two"), text("three"), text("four")));
    assertThat(recorder.events).last().isEqualTo(event);
    read(text("five").bytes());
    assertThat(recorder.events).last().isEqualTo(event);
  }

  @Test
  void shouldRejectAFramePastTheLimitBeforeItsMask() {
    byte[] bytes = binary(new byte[201]).bytes();
    read(Arrays.copyOf(bytes, 3));
    assertThat(recorder.events).isEmpty();
    read(new byte[] {bytes[3]});
    assertThat(recorder.events).containsExactly("violation 1009 frame is longer than 200 bytes");
  }

  @Test
  void shouldRejectHeadersAtTheirFirstInvalidPart() {
    read(new byte[] {(byte) 0x83, (byte) 0x80});
    assertThat(recorder.events).containsExactly("violation 1002 opcode is reserved");
  }

  @Test
  void shouldAcceptMessagesUpToTheLimit() {
    read(join(binary(new byte[200]).notLast(), continuation(new byte[100])));
    assertThat(recorder.events).hasSize(1).first().asString().startsWith("binary ");
    read(join(binary(new byte[200]).notLast(), continuation(new byte[100]).notLast()));
    read(continuation(new byte[1]).bytes());
    assertThat(recorder.events).last().isEqualTo("violation 1009 message is longer than 300 bytes");
  }

  @Test
  void shouldLimitTheInflatedSize() {
    decoder = new FrameDecoder(new Limits(200, 300), inflation, recorder);
    read(binary(deflate(new byte[300])).rsv(DEFLATED).bytes());
    assertThat(recorder.events).hasSize(1).first().asString().startsWith("binary ");
    read(binary(deflate(new byte[301])).rsv(DEFLATED).bytes());
    assertThat(recorder.events).last().isEqualTo("violation 1009 message is longer than 300 bytes");
  }

  @Test
  void shouldRejectADeflatedMessageOfManyLastBlocks() {
    decoder = new FrameDecoder(new Limits(1 << 16, 1 << 16), inflation, recorder);
    byte[] blocks = new byte[64_001];
    for (int i = 0; i < 64_000; i += 2) {
      blocks[i] = 3; // empty, and marked as the last
    }
    read(binary(blocks).rsv(DEFLATED).bytes());
    assertThat(recorder.events).containsExactly("violation 1007 message does not inflate");
  }

  @Test
  void shouldLimitBufferedDeflatedFragments() {
    decoder = new FrameDecoder(new Limits(200, 300), inflation, recorder);
    read(binary(new byte[200]).rsv(DEFLATED).notLast().bytes());
    read(continuation(new byte[165]).notLast().bytes());
    assertThat(recorder.events).containsExactly("violation 1009 message is longer than 300 bytes");
  }

  @Test
  void shouldAcceptIncompressibleMessagesOfMaximumLength() {
    decoder = new FrameDecoder(new Limits(1 << 20, 1 << 16), inflation, recorder);
    byte[] noise = new byte[1 << 16];
    new Random(7).nextBytes(noise);
    byte[] deflated = deflate(noise);
    assertThat(deflated).hasSizeGreaterThan(noise.length);
    read(binary(deflated).rsv(DEFLATED).bytes());
    assertThat(recorder.events).hasSize(1).first().asString().startsWith("binary ");
  }

  @Test
  void shouldRejectInvalidLimits() {
    assertThatThrownBy(() -> new Limits(124, 1000)).hasMessageContaining("124");
    assertThatThrownBy(() -> new Limits(125, 0)).hasMessageContaining("0");
    assertThatThrownBy(() -> new Limits(125, Integer.MAX_VALUE)).hasMessageContaining("2147483647");
  }

  @Test
  void shouldKeepItsPositionWhenTheSinkFails() {
    recorder.failing = true;
    decoder = new FrameDecoder(new Limits(200, 300), inflation, recorder);
    List<byte[]> inputs =
        List.of(
            text("a").bytes(),
            join(text("a").notLast(), continuation("b")),
            text(deflate(new byte[10])).rsv(DEFLATED).bytes(),
            ping("p").bytes());
    for (byte[] input : inputs) {
      assertThatThrownBy(() -> read(input)).hasMessage("sink");
    }
  }

  @Test
  void shouldFailIfTheSinkRetainsAPayload() {
    recorder.retaining = true;
    decoder = new FrameDecoder(new Limits(200, 300), inflation, recorder);
    List<byte[]> inputs =
        List.of(
            text("in place").bytes(),
            join(text("in ").notLast(), continuation("pieces")),
            text(deflate("deflated".getBytes(StandardCharsets.UTF_8))).rsv(DEFLATED).bytes(),
            ping("p").bytes());
    for (byte[] input : inputs) {
      ByteBuf in = allocator.heapBuffer(input.length).writeBytes(input);
      assertThatThrownBy(() -> decoder.read(in)).hasMessageContaining("borrows for the call only");
      recorder.lastBuffer.release();
      in.release();
    }
  }

  /** Messages of the Autobahn suite: bytes, bytes of a fragment, and how many of them. */
  @ParameterizedTest
  @CsvSource({
    "4194304, 64, 1", // 9.3.1, 9.4.1
    "4194304, 256, 1", // 9.3.2, 9.4.2
    "8192, 256, 1000", // 12.1.11
    "131072, 256, 1000", // 12.1.15
    "131072, 32768, 1000" // 12.1.18
  })
  void shouldCountFragmentsLessThanMessages(int bytes, int fragment, int messages) {
    decoder = new FrameDecoder(new Limits(1 << 24, 1 << 24), null, recorder);
    byte[] part = new byte[fragment];
    read(binary(part).notLast().bytes());
    for (int at = 2 * fragment; at < bytes; at += fragment) {
      read(continuation(part).notLast().bytes());
    }
    read(continuation(part).bytes());
    assertThat(recorder.events).hasSize(1);
    long each = decoder.takeMilliFrames();
    assertThat(decoder.takeMilliFrames()).isZero();
    int secondsAtOnce = 10;
    long frameRate = 1000; // the default of limits.frame-rate
    long most = frameRate * secondsAtOnce * 1000L;
    assertThat(each * messages).isGreaterThan(1000L * messages).isLessThan(most);
  }

  @Test
  void shouldBoundTheEmptyFragmentsOfAMessage() {
    read(text("a").notLast().bytes());
    for (int i = 0; i < 301; i++) {
      read(continuation("").notLast().bytes());
    }
    assertThat(recorder.events).isEmpty();
    read(continuation("").notLast().bytes());
    assertThat(recorder.events).containsExactly("violation 1009 message is longer than 300 bytes");
  }

  @Test
  void shouldAcceptAMessageOfMaximumLengthWithEmptyFragments() {
    read(join(binary(new byte[0]).notLast(), continuation(new byte[150]).notLast()));
    read(join(continuation("").notLast(), continuation(new byte[150]).notLast(), continuation("")));
    assertThat(recorder.events).hasSize(1).first().asString().startsWith("binary ");
  }

  private static byte[] deflate(byte[] content) {
    try (Deflation deflation = new Deflation(UnpooledByteBufAllocator.DEFAULT, 6)) {
      return ByteBufUtil.getBytes(deflation.deflate(Unpooled.wrappedBuffer(content)));
    }
  }
}
