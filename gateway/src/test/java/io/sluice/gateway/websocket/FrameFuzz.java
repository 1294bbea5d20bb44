package io.sluice.gateway.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.FrameDecoder.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes bytes as a client's WebSocket frames, in one read and in chunks. Both must have the same
 * result, respect the limits and release all buffers. The first byte of an input has the options,
 * the second one is the length of a chunk.
 */
public final class FrameFuzz {
  private static final Limits LIMITS = new Limits(300, 400);
  private static final long MOST_HELD = 400 + 64 + WebSocketFrame.MAX_CONTROL_PAYLOAD;
  private static final int INFLATES = 1;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final List<String> events = new ArrayList<>();
  private final FrameDecoder decoder;

  private FrameFuzz(Inflation inflation) {
    this.decoder = new FrameDecoder(LIMITS, inflation, new Ledger());
  }

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length < 2) {
      return;
    }
    try (Inflation inflation = (input[0] & INFLATES) == 0 ? null : new Inflation()) {
      List<String> atOnce = new FrameFuzz(inflation).read(input, Integer.MAX_VALUE);
      List<String> inPieces = new FrameFuzz(inflation).read(input, 1 + (input[1] & 0xFF));
      assertThat(inPieces).isEqualTo(atOnce);
    }
  }

  private List<String> read(byte[] input, int longest) {
    int length = longest;
    for (int at = 2; at < input.length; at += length) {
      length = Math.min(input.length - at, 1 + (length * 31 & Integer.MAX_VALUE) % longest);
      length = longest == Integer.MAX_VALUE ? input.length - at : length;
      ByteBuf in = allocator.buffer(length).writeBytes(input, at, length);
      decoder.read(in);
      assertThat(in.isReadable()).isFalse();
      assertThat(in.release()).isTrue();
      assertThat(allocator.metric().usedHeapMemory()).isLessThanOrEqualTo(MOST_HELD);
    }
    decoder.stop();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    return events;
  }

  private final class Ledger implements FrameDecoder.Sink {
    private boolean ended;

    private void record(String kind, ByteBuf payload, int most) {
      assertThat(ended).as("something after the end").isFalse();
      assertThat(payload.readableBytes()).isLessThanOrEqualTo(most);
      events.add(kind + ByteBufUtil.hexDump(payload));
    }

    @Override
    public void onText(ByteBuf payload) {
      record("text ", payload, LIMITS.maxMessageBytes());
      assertThat(isUtf8(payload.nioBuffer())).isTrue();
    }

    @Override
    public void onBinary(ByteBuf payload) {
      record("binary ", payload, LIMITS.maxMessageBytes());
    }

    @Override
    public void onPing(ByteBuf payload) {
      record("ping ", payload, WebSocketFrame.MAX_CONTROL_PAYLOAD);
    }

    @Override
    public void onPong(ByteBuf payload) {
      record("pong ", payload, WebSocketFrame.MAX_CONTROL_PAYLOAD);
    }

    @Override
    public void onClose(int code, String reason) {
      end("close " + code + " " + reason);
    }

    @Override
    public void onViolation(CloseCode code, String why) {
      end("violation " + code + " " + why);
    }

    private void end(String event) {
      assertThat(ended).as("a second end").isFalse();
      ended = true;
      events.add(event);
    }
  }

  private static boolean isUtf8(ByteBuffer bytes) {
    try {
      UTF_8.newDecoder().decode(bytes);
      return true;
    } catch (CharacterCodingException malformed) {
      return false;
    }
  }
}
