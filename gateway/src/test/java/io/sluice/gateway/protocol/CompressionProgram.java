package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.websocket.WebSocketFrame;
import io.sluice.testkit.MessageInflater;
import java.util.Arrays;
import java.util.zip.Deflater;

/**
 * Measurement of compression: bytes and CPU per message without compression, without context, with
 * a context per client, and with the previous message. Prints CSV. Encoding is part of the CPU.
 */
public final class CompressionProgram {
  private static final int WARM_UP = 5_000;
  private static final int MESSAGES = 20_000;
  private static final Channel CHANNEL = new Channel(7, "stocks.7", null);

  private final MessageEncoder encoder = EncodingMeasurement.encoder();
  private final byte[] chunk = new byte[64 * 1024];

  /** Way to compress a message after the previous one; returns the bytes of its frame. */
  @FunctionalInterface
  private interface Method {
    int frameBytes(Message previous, Message message, long offset);
  }

  private CompressionProgram() {}

  /** Prints one line per data set, encoding and method. */
  public static void main(String[] arguments) {
    System.out.println("data,encoding,method,bytes,cpu-us");
    for (CompressionData data : CompressionData.values()) {
      Message[] messages = data.messages(WARM_UP + MESSAGES);
      for (boolean binary : new boolean[] {false, true}) {
        new CompressionProgram().measure(data, messages, binary);
      }
    }
    System.exit(0);
  }

  private void measure(CompressionData data, Message[] messages, boolean binary) {
    checkContent(messages, binary);
    MessageForm plain = MessageForm.of(Encoding.of(binary, false));
    MessageForm alone = MessageForm.of(Encoding.of(binary, true));
    String name = EncodingMeasurement.columns(data, binary);
    print(name + "none", messages, (p, m, at) -> EncodingMeasurement.length(encode(m, at, plain)));
    print(name + "alone", messages, (p, m, at) -> EncodingMeasurement.length(encode(m, at, alone)));
    Deflater context = new Deflater(EncodingMeasurement.LEVEL, true);
    print(name + "context", messages, (p, m, at) -> deflated(context, m, at, plain));
    context.end();
    print(
        name + "previous",
        messages,
        (p, m, at) -> EncodingMeasurement.length(next(p, m, at, binary)));
  }

  private ByteBuf encode(Message message, long offset, MessageForm form) {
    return encoder.encode(message, CHANNEL, offset, form);
  }

  private ByteBuf next(Message previous, Message message, long offset, boolean binary) {
    return encoder.encodeNext(previous, CHANNEL, message, CHANNEL, offset, binary);
  }

  private int deflated(Deflater context, Message message, long offset, MessageForm plain) {
    ByteBuf frame = encode(message, offset, plain);
    frame.skipBytes(WebSocketFrame.headerBytesOf(frame));
    context.setInput(frame.nioBuffer());
    int bytes = context.deflate(chunk, 0, chunk.length, Deflater.SYNC_FLUSH) - 4;
    frame.release();
    return WebSocketFrame.headerBytes(bytes) + bytes;
  }

  private static void print(String columns, Message[] messages, Method method) {
    EncodingMeasurement.print(
        columns,
        MESSAGES,
        () -> run(messages, 1, WARM_UP, method),
        () -> run(messages, WARM_UP, messages.length, method));
  }

  private static long run(Message[] messages, int from, int to, Method method) {
    long bytes = 0;
    for (int i = from; i < to; i++) {
      bytes += method.frameBytes(messages[i - 1], messages[i], i + 1L);
    }
    return bytes;
  }

  private void checkContent(Message[] messages, boolean binary) {
    try (MessageInflater inflater = new MessageInflater("permessage-deflate")) {
      inflater.inflate(
          EncodingMeasurement.payload(encode(messages[0], 1, MessageForm.seed(binary))));
      for (int i = 1; i < MESSAGES; i++) {
        byte[] content =
            inflater.inflate(
                EncodingMeasurement.payload(next(messages[i - 1], messages[i], i + 1, binary)));
        ByteBuf expected = encode(messages[i], i + 1L, MessageForm.of(Encoding.of(binary, false)));
        if (!Arrays.equals(content, EncodingMeasurement.payload(expected))) {
          throw new AssertionError("message " + i + " is changed");
        }
      }
    }
  }
}
