package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.Deflation;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Measurement of a way to encode messages: bytes and CPU per message. Stateless. */
final class EncodingMeasurement {
  /** Level of compression. */
  static final int LEVEL = 6;

  private static final int ROUNDS = 5;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private EncodingMeasurement() {}

  /** Returns an encoder that compresses. */
  static MessageEncoder encoder() {
    return new MessageEncoder(
        PooledByteBufAllocator.DEFAULT, new Deflation(new UnpooledByteBufAllocator(false), LEVEL));
  }

  /** Returns the first columns of a line: data set and encoding. */
  static String columns(CompressionData data, boolean binary) {
    String name = data.toString().toLowerCase(Locale.ROOT).replace('_', '-');
    return name + "," + (binary ? "binary" : "json") + ",";
  }

  /**
   * Prints the columns, the bytes per message and the median CPU time per message.
   *
   * @param warmUp runs before each measured run
   * @param run encodes all messages, and returns the bytes of their frames
   */
  static void print(String columns, int messages, Runnable warmUp, LongSupplier run) {
    double[] micros = new double[ROUNDS];
    long bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
      warmUp.run();
      long startNs = THREADS.getCurrentThreadCpuTime();
      bytes = run.getAsLong();
      micros[round] = (THREADS.getCurrentThreadCpuTime() - startNs) / 1000.0 / messages;
    }
    Arrays.sort(micros);
    System.out.printf(
        Locale.ROOT, "%s,%.1f,%.1f%n", columns, (double) bytes / messages, micros[ROUNDS / 2]);
  }

  /** Returns the length of a frame, and releases it. */
  static int length(ByteBuf frame) {
    int bytes = frame.readableBytes();
    frame.release();
    return bytes;
  }

  /** Returns the payload of a frame, and releases it. */
  static byte[] payload(ByteBuf frame) {
    frame.skipBytes(WebSocketFrame.headerBytesOf(frame));
    byte[] payload = new byte[frame.readableBytes()];
    frame.readBytes(payload);
    frame.release();
    return payload;
  }
}
