package io.sluice.gateway.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.stomp.StompFrame;
import io.netty.handler.codec.stomp.StompSubframeAggregator;
import io.netty.handler.codec.stomp.StompSubframeDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;

/** Random frames in random chunks, compared with Netty's codec; random damage. */
final class StompParserFuzzTest {
  private static final int MAX_BYTES = 1 << 14;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final StompParser parser = new StompParser(MAX_BYTES);
  private final List<String> frames = new ArrayList<>();

  @BeforeEach
  void printSeed() {
    System.out.println("StompParserFuzzTest seed " + seed);
  }

  @AfterEach
  void stop() {
    parser.stop();
  }

  @RepeatedTest(200)
  void shouldReadTheFramesThatNettyReads() throws BadStomp {
    byte[] bytes = conversation();
    read(bytes);
    assertThat(frames).as("seed %d", seed).isEqualTo(byNetty(bytes));
  }

  @RepeatedTest(300)
  void shouldReadOrRefuseDamagedFrames() {
    byte[] bytes = conversation();
    for (int flips = 1 + random.nextInt(5); flips > 0; flips--) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    }
    StompVersion[] versions = StompVersion.values();
    parser.version(versions[random.nextInt(versions.length)]);
    try {
      read(bytes);
    } catch (BadStomp refused) {
      assertThat(refused.getMessage()).as("seed %d", seed).isNotBlank();
    }
  }

  private void read(byte[] bytes) throws BadStomp {
    int longest = 1 + random.nextInt(1 << random.nextInt(13));
    for (int at = 0; at < bytes.length; ) {
      int end = Math.min(bytes.length, at + 1 + random.nextInt(longest));
      ByteBuf chunk = Unpooled.wrappedBuffer(Arrays.copyOfRange(bytes, at, end));
      parser.read(
          chunk,
          frame -> {
            Map<String, String> headers = new LinkedHashMap<>();
            frame.headers().forEach(headers::putIfAbsent);
            frames.add(frame.command() + " " + headers + " " + ByteBufUtil.hexDump(frame.body()));
          });
      at = end;
    }
  }

  private static List<String> byNetty(byte[] bytes) {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new StompSubframeDecoder(MAX_BYTES, MAX_BYTES),
            new StompSubframeAggregator(2 * MAX_BYTES));
    channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    List<String> read = new ArrayList<>();
    for (StompFrame frame = channel.readInbound(); frame != null; frame = channel.readInbound()) {
      Map<String, String> headers = new LinkedHashMap<>();
      frame
          .headers()
          .forEach(
              header ->
                  headers.putIfAbsent(header.getKey().toString(), header.getValue().toString()));
      read.add(frame.command() + " " + headers + " " + ByteBufUtil.hexDump(frame.content()));
      frame.release();
    }
    channel.finishAndReleaseAll();
    return read;
  }

  private byte[] conversation() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int count = 1 + random.nextInt(20); count > 0; count--) {
      StompCommand[] commands = StompCommand.values();
      StompCommand command =
          random.nextBoolean() ? StompCommand.SEND : commands[random.nextInt(commands.length)];
      byte[] body = command == StompCommand.SEND ? body() : new byte[0];
      boolean measured = random.nextBoolean() && command == StompCommand.SEND;
      String lineEnd = random.nextInt(4) == 0 ? "\r\n" : "\n";
      StringBuilder head = new StringBuilder(command.name()).append(lineEnd);
      for (int headers = random.nextInt(10); headers > 0; headers--) {
        head.append(word(1, 20)).append(':').append(word(0, 60)).append(lineEnd);
      }
      if (measured) {
        head.append("content-length:").append(body.length).append(lineEnd);
      }
      out.writeBytes(head.append(lineEnd).toString().getBytes(StandardCharsets.UTF_8));
      for (int i = 0; !measured && i < body.length; i++) {
        body[i] = body[i] == 0 ? 1 : body[i];
      }
      out.writeBytes(body);
      out.write(0);
      out.writeBytes("\n".repeat(random.nextInt(3)).getBytes(StandardCharsets.US_ASCII));
    }
    return out.toByteArray();
  }

  private byte[] body() {
    byte[] body = new byte[random.nextInt(1 << random.nextInt(12))];
    random.nextBytes(body);
    return body;
  }

  /** A text without the characters that Netty reads differently. */
  private String word(int min, int max) {
    StringBuilder text = new StringBuilder();
    int most = 1 << random.nextInt(6, 15); // Netty cannot read characters of four bytes
    for (int count = min + random.nextInt(max - min); count > 0; count--) {
      int point = ' ' + 1 + random.nextInt(most);
      boolean excluded = point == ':' || point == '\\' || point >= 0xD800 && point < 0xE000;
      text.appendCodePoint(excluded ? 'x' : point);
    }
    return text.toString();
  }
}
