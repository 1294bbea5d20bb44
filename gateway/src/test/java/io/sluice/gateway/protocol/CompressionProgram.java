package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.testkit.MessageInflater;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.Deflater;

/**
 * Measurement of compression: bytes and CPU per message without compression, without context, with
 * a context per client, and with the previous message. Prints CSV. Encoding is part of the CPU.
 */
public final class CompressionProgram {
  private static final int LEVEL = 6;
  private static final int WARM_UP = 5_000;
  private static final int MESSAGES = 20_000;
  private static final int ROUNDS = 5;
  private static final Channel CHANNEL = new Channel(7, "stocks.7", null);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final MessageEncoder encoder =
      new MessageEncoder(
          PooledByteBufAllocator.DEFAULT,
          new Deflation(new UnpooledByteBufAllocator(false), LEVEL));
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
    String name = data + "," + (binary ? "binary" : "json") + ",";
    print(name + "none", messages, (p, m, at) -> length(encode(m, at, plain)));
    print(name + "alone", messages, (p, m, at) -> length(encode(m, at, alone)));
    Deflater context = new Deflater(LEVEL, true);
    print(name + "context", messages, (p, m, at) -> deflated(context, m, at, plain));
    context.end();
    print(name + "previous", messages, (p, m, at) -> length(next(p, m, at, binary)));
  }

  private ByteBuf encode(Message message, long offset, MessageForm form) {
    return encoder.encode(message, CHANNEL, offset, form);
  }

  private ByteBuf next(Message previous, Message message, long offset, boolean binary) {
    return encoder.encodeNext(previous, CHANNEL, message, CHANNEL, offset, binary);
  }

  private static int length(ByteBuf frame) {
    int bytes = frame.readableBytes();
    frame.release();
    return bytes;
  }

  private int deflated(Deflater context, Message message, long offset, MessageForm plain) {
    ByteBuf frame = encode(message, offset, plain);
    frame.skipBytes(WebSocketFrame.headerBytesOf(frame));
    context.setInput(frame.nioBuffer());
    int bytes = context.deflate(chunk, 0, chunk.length, Deflater.SYNC_FLUSH) - 4;
    frame.release();
    return WebSocketFrame.headerBytes(bytes) + bytes;
  }

  private static void print(String name, Message[] messages, Method method) {
    double[] micros = new double[ROUNDS];
    long bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
      run(messages, 1, WARM_UP, method);
      long startNs = THREADS.getCurrentThreadCpuTime();
      bytes = run(messages, WARM_UP, messages.length, method);
      micros[round] = (THREADS.getCurrentThreadCpuTime() - startNs) / 1000.0 / MESSAGES;
    }
    Arrays.sort(micros);
    System.out.printf(
        Locale.ROOT,
        "%s,%.1f,%.1f%n",
        name.toLowerCase(Locale.ROOT).replace('_', '-'),
        (double) bytes / MESSAGES,
        micros[ROUNDS / 2]);
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
      inflater.inflate(payload(encode(messages[0], 1, MessageForm.seed(binary))));
      for (int i = 1; i < MESSAGES; i++) {
        byte[] content =
            inflater.inflate(payload(next(messages[i - 1], messages[i], i + 1, binary)));
        ByteBuf expected = encode(messages[i], i + 1L, MessageForm.of(Encoding.of(binary, false)));
        if (!Arrays.equals(content, payload(expected))) {
          throw new AssertionError("message " + i + " is changed");
        }
      }
    }
  }

  private static byte[] payload(ByteBuf frame) {
    frame.skipBytes(WebSocketFrame.headerBytesOf(frame));
    byte[] payload = new byte[frame.readableBytes()];
    frame.readBytes(payload);
    frame.release();
    return payload;
  }
}
