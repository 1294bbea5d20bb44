package io.sluice.loadtest.load.frame;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameScannerTest {
  private static final int TEXT = 0x81;
  private static final int BINARY = 0x82;
  private static final int TEXT_BEGINS = 0x01;
  private static final int BINARY_BEGINS = 0x02;
  private static final int GOES_ON = 0x00;
  private static final int ENDS = 0x80;
  private static final int CLOSE = 0x88;
  private static final int PING = 0x89;
  private static final int PONG = 0x8A;

  @Test
  void shouldFindFramesSplitAtEveryPosition() {
    byte[] stream = stream();
    List<String> whole = read(stream, stream.length);
    for (int position = 0; position < stream.length; position++) {
      Found found = new Found();
      assertThat(found.read(stream, 0, position)).isNull();
      assertThat(found.read(stream, position, stream.length)).isNull();

      assertThat(found.events).as("split at %d", position).isEqualTo(whole);
    }
  }

  @Test
  void shouldFindFramesReceivedByteByByte() {
    byte[] stream = stream();

    assertThat(read(stream, 1)).isEqualTo(read(stream, stream.length));
  }

  @Test
  void shouldFindFramesInChunksOfEverySize() {
    byte[] stream = stream();
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      Found found = new Found();
      for (int at = 0; at < stream.length; ) {
        int end = Math.min(stream.length, at + random.nextInt(1, 600));
        assertThat(found.read(stream, at, end)).as("seed %d", seed).isNull();
        at = end;
      }

      assertThat(found.events).as("seed %d", seed).isEqualTo(read(stream, stream.length));
    }
  }

  @Test
  void shouldReportFrames() {
    assertThat(read(stream(), 1 << 20))
        .containsExactly(
            "data 0",
            "binary",
            "data 100",
            "binary",
            "data 300",
            "binary",
            "data 70000",
            "binary",
            "data 15",
            "text {\"type\":\"live\"}",
            "data 300",
            "text " + "t".repeat(FrameScanner.TEXT_HEAD),
            "ping hello",
            "data 3",
            "data 4",
            "ping ",
            "data 9",
            "text {\"type\":\"gap\",1}",
            "data 5",
            "data 6",
            "text {\"a\":12345}",
            "data 200",
            "data 200",
            "text " + "u".repeat(FrameScanner.TEXT_HEAD),
            "data 7",
            "binary",
            "data 7",
            "data 8",
            "close 3872",
            "close 1005");
  }

  @Test
  void shouldRejectInvalidFrames() {
    assertThat(fault(0x82, 0x80 | 5)).contains("masked");
    assertThat(fault(0xC2, 5)).contains("reserved bit");
    assertThat(fault(0x83, 5)).contains("opcode 3");
    assertThat(fault(0x8B, 5)).contains("opcode 11");
    assertThat(fault(0x89, 126, 0, 126)).contains("length");
    assertThat(fault(0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 1)).contains("length");
  }

  /** Returns frames of all kinds and lengths, and fragmented messages with a ping in between. */
  private static byte[] stream() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    frame(out, BINARY, "");
    frame(out, BINARY, "b".repeat(100));
    frame(out, BINARY, "b".repeat(300));
    frame(out, BINARY, "b".repeat(70_000));
    frame(out, TEXT, "{\"type\":\"live\"}");
    frame(out, TEXT, "t".repeat(300));
    frame(out, PING, "hello");
    frame(out, TEXT_BEGINS, "{\"t");
    frame(out, GOES_ON, "ype\"");
    frame(out, PING, "");
    frame(out, ENDS, ":\"gap\",1}");
    frame(out, PONG, "unasked");
    frame(out, TEXT_BEGINS, "{\"a\":");
    frame(out, ENDS, "12345}");
    frame(out, TEXT_BEGINS, "u".repeat(200));
    frame(out, ENDS, "u".repeat(200));
    frame(out, BINARY_BEGINS, "b".repeat(7));
    frame(out, GOES_ON, "b".repeat(7));
    frame(out, ENDS, "b".repeat(8));
    frame(out, CLOSE, "\u000f\u0020");
    frame(out, CLOSE, "");
    return out.toByteArray();
  }

  private static void frame(ByteArrayOutputStream out, int first, String text) {
    byte[] payload = text.getBytes(UTF_8);
    out.write(first);
    if (payload.length < 126) {
      out.write(payload.length);
    } else {
      boolean two = payload.length <= 0xFFFF;
      out.write(two ? 126 : 127);
      for (int shift = two ? 8 : 56; shift >= 0; shift -= 8) {
        out.write((int) ((long) payload.length >>> shift));
      }
    }
    out.writeBytes(payload);
  }

  private static String fault(int... bytes) {
    byte[] frame = new byte[bytes.length + 200];
    for (int i = 0; i < bytes.length; i++) {
      frame[i] = (byte) bytes[i];
    }
    return new Found().read(frame, 0, frame.length);
  }

  private static List<String> read(byte[] stream, int chunk) {
    Found found = new Found();
    for (int at = 0; at < stream.length; at += chunk) {
      assertThat(found.read(stream, at, Math.min(stream.length, at + chunk))).isNull();
    }
    return found.events;
  }

  /** Scanner and the frames that it found. */
  private static final class Found implements FrameScanner.Listener {
    private final List<String> events = new ArrayList<>();
    private final FrameScanner scanner = new FrameScanner();
    private final ByteBuf scratch = Unpooled.buffer(FrameScanner.MAX_HEAD, FrameScanner.MAX_HEAD);

    String read(byte[] stream, int from, int to) {
      ByteBuf in = Unpooled.wrappedBuffer(stream, from, to - from);
      String fault = scanner.read(in, scratch, this);
      assertThat(fault != null || !in.isReadable()).isTrue();
      return fault;
    }

    @Override
    public void onData(long payloadBytes) {
      events.add("data " + payloadBytes);
    }

    @Override
    public void onBinary(ByteBuf bytes, int start, int count) {
      events.add("binary");
    }

    @Override
    public void onText(ByteBuf bytes, int start, int count) {
      events.add("text " + bytes.toString(start, count, UTF_8));
    }

    @Override
    public void onPing(ByteBuf bytes, int start, int count) {
      events.add("ping " + bytes.toString(start, count, UTF_8));
    }

    @Override
    public void onClose(int code) {
      events.add("close " + code);
    }
  }
}
