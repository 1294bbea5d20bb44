package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.websocket.Deflation;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Benchmark of encoding one message, which a node does once per message and encoding in use. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EncodeBenchmark {
  private static final int DEFLATE_LEVEL = 6;

  /** Configured like the encoder of a node. */
  @Param public Encoding encoding;

  @Param({"64", "512", "4096"})
  public int payloadBytes;

  private final Channel channel = new Channel(7, "stocks.7", null);
  private Deflation deflation;
  private MessageEncoder encoder;
  private Message message;
  private long offset;

  @Setup
  public void open() {
    deflation = new Deflation(new UnpooledByteBufAllocator(false), DEFLATE_LEVEL);
    encoder = new MessageEncoder(PooledByteBufAllocator.DEFAULT, deflation);
    message =
        new Message(
            "stocks.7", 0x9e3779b97f4a7c15L, 1763700000000L, PayloadKind.TEXT, text(), null);
  }

  // Market quotes: JSON in a string, which has to be escaped and can be compressed.
  private byte[] text() {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder();
    while (text.length() < payloadBytes) {
      text.append("{\"bid\":").append(random.nextInt(100_000)).append(",\"ask\":");
      text.append(random.nextInt(100_000)).append("},");
    }
    return text.substring(0, payloadBytes).getBytes(StandardCharsets.US_ASCII);
  }

  @Benchmark
  public int encode() {
    ByteBuf frame = encoder.encode(message, channel, ++offset, encoding);
    int bytes = frame.readableBytes();
    frame.release();
    return bytes;
  }

  @TearDown
  public void close() {
    deflation.close();
  }
}
