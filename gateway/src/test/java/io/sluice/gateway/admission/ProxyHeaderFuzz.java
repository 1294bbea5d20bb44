package io.sluice.gateway.admission;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.socket.AcceptedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Sends bytes as a trusted proxy does, in one write and in chunks. Both must have the same result
 * after a bounded number of bytes: the address in the header and all bytes that follow it. The
 * first byte of an input is the length of a chunk.
 */
public final class ProxyHeaderFuzz {
  private static final String PROXY = "10.0.0.1";
  private static final int MAX_HEADER_BYTES = 16 + 216 + 2048;
  private static final byte[] VERSION_2 = {
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A
  };
  private static final int HEAD_BYTES = 16;
  private static final List<AddressRange> TRUSTED =
      AddressRange.listOf(
          Config.defaults().with(ServerSettings.TRUSTED_PROXIES, List.of(PROXY)),
          ServerSettings.TRUSTED_PROXIES);
  private static final GatewayMetrics METRICS =
      new GatewayMetrics(new Exposition("fuzz"), KnownTags.none());
  private static final HandshakeQuota QUOTA =
      PendingHandshakesTest.quota(Config.defaults(), METRICS);

  private ProxyHeaderFuzz() {}

  /**
   * Result of a connection.
   *
   * @param rest bytes that follow the header, in hexadecimal digits
   */
  private record Outcome(boolean open, boolean undecided, InetAddress source, String rest) {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length < 2) {
      return;
    }
    byte[] sent = Arrays.copyOfRange(input, 1, input.length);
    Outcome atOnce = send(sent, sent.length);
    assertThat(send(sent, 1 + (input[0] & 0x3F))).isEqualTo(atOnce);
    assertThat(atOnce.undecided() && sent.length > MAX_HEADER_BYTES).isFalse();
    if (!atOnce.open() || atOnce.undecided()) {
      assertThat(atOnce.rest()).isEmpty();
      assertThat(atOnce.source()).isEqualTo(address(PROXY));
    } else {
      check(sent, atOnce);
    }
  }

  private static Outcome send(byte[] bytes, int chunkBytes) {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    EmbeddedChannel channel = new FromProxy();
    channel.config().setAllocator(allocator);
    PendingHandshakes handshakes =
        new PendingHandshakes(
            new RefusalLog(METRICS, System::nanoTime), 10_000, 10_000, TRUSTED, null, QUOTA);
    handshakes.add(AcceptedChannel.of(channel), 0);
    for (int start = 0; start < bytes.length && channel.isOpen(); start += chunkBytes) {
      int length = Math.min(chunkBytes, bytes.length - start);
      channel.writeInbound(allocator.buffer(length).writeBytes(bytes, start, length));
    }
    boolean undecided = channel.isOpen() && channel.pipeline().get(ProxyHeader.class) != null;
    Outcome outcome =
        new Outcome(
            channel.isOpen(), undecided, AcceptedChannel.of(channel).source(), rest(channel));
    channel.finishAndReleaseAll();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    return outcome;
  }

  private static String rest(EmbeddedChannel channel) {
    StringBuilder rest = new StringBuilder();
    for (ByteBuf next = channel.readInbound(); next != null; next = channel.readInbound()) {
      rest.append(ByteBufUtil.hexDump(next));
      next.release();
    }
    return rest.toString();
  }

  private static void check(byte[] sent, Outcome outcome) {
    String text = new String(sent, ISO_8859_1);
    boolean version2 = Arrays.equals(sent, 0, 12, VERSION_2, 0, 12);
    int end =
        version2
            ? HEAD_BYTES + ((sent[14] & 0xFF) << 8 | sent[15] & 0xFF)
            : text.indexOf("\r\n") + 2;
    assertThat(outcome.rest()).isEqualTo(ByteBufUtil.hexDump(sent, end, sent.length - end));
    InetAddress source = version2 ? ofVersion2(sent) : ofVersion1(text.substring(0, end - 2));
    assertThat(outcome.source()).isEqualTo(source == null ? address(PROXY) : source);
  }

  private static InetAddress ofVersion1(String line) {
    String[] words = line.split(" ");
    assertThat(words[0]).isEqualTo("PROXY");
    assertThat(words[1]).isIn("TCP4", "TCP6", "UNKNOWN");
    return words[1].equals("UNKNOWN") ? null : address(words[2]);
  }

  private static InetAddress ofVersion2(byte[] sent) {
    assertThat(sent[12]).isIn((byte) 0x20, (byte) 0x21);
    boolean tcp = sent[13] == 0x11 || sent[13] == 0x21;
    assertThat(tcp || sent[13] == 0 || sent[12] == 0x20).isTrue();
    if (sent[12] == 0x20 || !tcp) {
      return null;
    }
    int length = sent[13] == 0x11 ? 4 : 16;
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(sent, HEAD_BYTES, HEAD_BYTES + length));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static InetAddress address(String text) {
    return AddressRange.address(text).orElseThrow();
  }

  private static final class FromProxy extends EmbeddedChannel {
    @Override
    protected SocketAddress remoteAddress0() {
      return new InetSocketAddress(address(PROXY), 4711);
    }
  }
}
