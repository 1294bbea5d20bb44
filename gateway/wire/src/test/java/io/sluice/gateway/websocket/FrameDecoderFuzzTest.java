package io.sluice.gateway.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.FrameDecoder.Limits;
import io.sluice.testkit.ClientFrame;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;

/** Random messages, random chunks, random damage. */
class FrameDecoderFuzzTest {
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final UnpooledByteBufAllocator allocator =
      new UnpooledByteBufAllocator(random.nextBoolean());
  private final Inflation inflation = new Inflation();
  private final Deflation deflation = new Deflation(UnpooledByteBufAllocator.DEFAULT, 1);
  private final Ledger ledger = new Ledger();
  private FrameDecoder decoder;

  /** Stores every payload. Fails on a call after the end. */
  private static final class Ledger implements FrameDecoder.Sink {
    private final List<String> events = new ArrayList<>();
    private boolean ended;

    private void record(String kind, ByteBuf payload) {
      assertThat(ended).as("%s after the end", kind).isFalse();
      events.add(kind + ByteBufUtil.hexDump(payload));
    }

    @Override
    public void onText(ByteBuf payload) {
      record("1:", payload);
    }

    @Override
    public void onBinary(ByteBuf payload) {
      record("2:", payload);
    }

    @Override
    public void onPing(ByteBuf payload) {
      record("9:", payload);
    }

    @Override
    public void onPong(ByteBuf payload) {
      record("10:", payload);
    }

    @Override
    public void onClose(int code, String reason) {
      record("close", Unpooled.EMPTY_BUFFER);
      ended = true;
    }

    @Override
    public void onViolation(CloseCode code, String why) {
      record("violation", Unpooled.EMPTY_BUFFER);
      ended = true;
    }
  }

  @BeforeEach
  void printSeed() {
    System.out.println("FrameDecoderFuzzTest seed " + seed);
    decoder = new FrameDecoder(new Limits(1 << 16, 1 << 16), inflation, ledger);
  }

  @AfterEach
  void shouldReleaseAllBuffers() {
    decoder.stop();
    inflation.close();
    deflation.close();
    assertThat(allocator.metric().usedHeapMemory()).as("seed %d", seed).isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("seed %d", seed).isZero();
  }

  @RepeatedTest(50)
  void shouldDeliverEveryMessageForAnyChunks() {
    List<String> expected = new ArrayList<>();
    readInPieces(conversation(expected));
    assertThat(ledger.events).as("seed %d", seed).isEqualTo(expected);
  }

  @RepeatedTest(200)
  void shouldHandleDamagedFrames() {
    byte[] bytes = conversation(new ArrayList<>());
    for (int flips = 1 + random.nextInt(5); flips > 0; flips--) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    }
    readInPieces(bytes);
  }

  @RepeatedTest(200)
  void shouldHandleRandomBytes() {
    byte[] noise = new byte[random.nextInt(2000)];
    random.nextBytes(noise);
    if (noise.length > 1) {
      noise[0] = (byte) (0x80 | random.nextInt(3)); // often a start that is taken
      noise[1] |= (byte) 0x80;
    }
    readInPieces(noise);
  }

  private void readInPieces(byte[] bytes) {
    int longest = 1 + random.nextInt(1 << random.nextInt(14));
    for (int at = 0; at < bytes.length; ) {
      int count = Math.min(bytes.length - at, 1 + random.nextInt(longest));
      ByteBuf in = allocator.buffer(count).writeBytes(bytes, at, count);
      decoder.read(in);
      assertThat(in.isReadable()).isFalse();
      assertThat(in.release()).as("seed %d", seed).isTrue();
      at += count;
    }
  }

  private byte[] conversation(List<String> expected) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int messages = 1 + random.nextInt(30); messages > 0; messages--) {
      boolean text = random.nextBoolean();
      byte[] content = text ? text() : noise(random.nextInt(1 << random.nextInt(14)));
      writeMessage(out, text ? 1 : 2, content, expected);
      expected.add((text ? "1:" : "2:") + ByteBufUtil.hexDump(content));
    }
    return out.toByteArray();
  }

  private void writeMessage(
      ByteArrayOutputStream out, int opcode, byte[] content, List<String> expected) {
    boolean deflated = random.nextBoolean();
    byte[] payload =
        deflated
            ? ByteBufUtil.getBytes(deflation.deflate(Unpooled.wrappedBuffer(content)))
            : content;
    int longest = 1 + random.nextInt(payload.length + 1);
    int at = 0;
    boolean first = true;
    do {
      int end = Math.min(payload.length, at + random.nextInt(longest + 1));
      boolean last = end == payload.length && random.nextInt(4) > 0;
      byte[] part = Arrays.copyOfRange(payload, at, end);
      ClientFrame frame = ClientFrame.of(first ? opcode : 0, part).mask(random.nextInt());
      frame = first && deflated ? frame.rsv(4) : frame;
      out.writeBytes((last ? frame : frame.notLast()).bytes());
      at = last ? payload.length + 1 : end;
      first = false;
      if (!last && random.nextInt(4) == 0) {
        writeControl(out, expected);
      }
    } while (at <= payload.length);
  }

  private void writeControl(ByteArrayOutputStream out, List<String> expected) {
    int opcode = random.nextBoolean() ? ClientFrame.PING : ClientFrame.PONG;
    byte[] payload = noise(random.nextInt(126));
    out.writeBytes(ClientFrame.of(opcode, payload).mask(random.nextInt()).bytes());
    expected.add(opcode + ":" + ByteBufUtil.hexDump(payload));
  }

  private byte[] noise(int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] text() {
    StringBuilder text = new StringBuilder();
    int most = 1 << random.nextInt(5, 22);
    for (int count = random.nextInt(1 << random.nextInt(11)); count > 0; count--) {
      int point = random.nextInt(Math.min(most, Character.MAX_CODE_POINT + 1));
      text.appendCodePoint(point >= 0xD800 && point <= 0xDFFF ? 'x' : point);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
