package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.MeterBuilder;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of links whose other end is none of a node. */
@Timeout(300)
final class NodeLinksTest {
  private static final int LONG_MS = 120_000;
  private static final Pattern KEY = Pattern.compile("(?i)sec-websocket-key: *(\\S+)");
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int BINARY = 2;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;
  private static final int FINAL = 0x80;

  private final Vertx vertx = Vertx.vertx();

  private record NoRoot(Runnable unreachable) implements RootLinks.Receiver {
    @Override
    public LinkLeaf onRoot(LinkChannel channel, LinkRecord.Hello hello) {
      throw new AssertionError("no root is there");
    }

    @Override
    public void onUnreachable(String why) {
      unreachable.run();
    }
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void shouldDialAgainIfConnectionsAreResetAtOnce() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    try (ServerSocket root = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
      Thread resets = new Thread(() -> reset(root), "resets");
      resets.start();
      NodeLinks links = links(Duration.ofMillis(100));
      links.follow(
          List.of("ws://127.0.0.1:" + root.getLocalPort()), new NoRoot(failures::incrementAndGet));
      await().atMost(Duration.ofMinutes(4)).until(() -> failures.get() >= 2);
      links.close();
    }
  }

  /** A connection that ends earlier is reset, and its last frames are lost. */
  @Test
  void shouldStopWhenTheRootHasReadTheReason() throws Exception {
    try (ServerSocket root = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
      NodeLinks links = links(Duration.ofMinutes(2));
      links.follow(List.of("ws://127.0.0.1:" + root.getLocalPort()), new NoRoot(() -> {}));
      try (Socket link = root.accept()) {
        link.setSoTimeout(LONG_MS);
        InputStream in = link.getInputStream();
        OutputStream out = link.getOutputStream();
        out.write(upgrade(in));
        assertThat(read(in).opcode()).isEqualTo(BINARY);
        CompletableFuture<Void> stop =
            CompletableFuture.runAsync(links::close).thenRun(() -> vertx.close().await());
        Frame close = read(in);
        assertThat(close.opcode()).isEqualTo(CLOSE);
        assertThat(close.payload()).endsWith(LinkChannel.STOPS);
        out.write(new byte[] {(byte) (FINAL | PING), 0});
        assertThat(read(in).opcode()).isEqualTo(PONG);
        out.write(new byte[] {(byte) (FINAL | CLOSE), 0});
        stop.join();
      }
    }
  }

  /** Returns the answer to the request of a client. */
  private static byte[] upgrade(InputStream in) throws Exception {
    StringBuilder request = new StringBuilder();
    while (request.indexOf("\r\n\r\n") < 0) {
      request.append((char) in.read());
    }
    Matcher key = KEY.matcher(request);
    assertThat(key.find()).isTrue();
    byte[] hash =
        MessageDigest.getInstance("SHA-1")
            .digest((key.group(1) + GUID).getBytes(StandardCharsets.US_ASCII));
    return """
    HTTP/1.1 101 Switching Protocols\r
    upgrade: websocket\r
    connection: Upgrade\r
    sec-websocket-protocol: %s\r
    sec-websocket-accept: %s\r
    \r
    """
        .formatted(LinkCodec.SUBPROTOCOL, Base64.getEncoder().encodeToString(hash))
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Frame of a client. */
  private record Frame(int opcode, String payload) {
    static final Frame END = new Frame(-1, "");
  }

  /** Reads a short frame of a client. */
  private static Frame read(InputStream in) throws IOException {
    int first = in.read();
    if (first < 0) {
      return Frame.END;
    }
    int length = in.read() & 0x7f;
    assertThat(length).isLessThan(126);
    byte[] mask = in.readNBytes(Integer.BYTES);
    byte[] payload = in.readNBytes(length);
    for (int i = 0; i < length; i++) {
      payload[i] ^= mask[i % mask.length];
    }
    return new Frame(first & 0x0f, new String(payload, StandardCharsets.ISO_8859_1));
  }

  private NodeLinks links(Duration timeout) throws Exception {
    Config config = Config.defaults().with(BrokerSettings.CANARY_TIMEOUT, timeout);
    LinkMeters meters = new LinkMeters(new MeterBuilder(new SimpleMeterRegistry()));
    return new NodeLinks(vertx, LinkOptions.of(config), "leaf", null, null, meters);
  }

  /** Accepts connections and resets them until the socket is closed. */
  private static void reset(ServerSocket root) {
    while (!root.isClosed()) {
      try (Socket accepted = root.accept()) {
        accepted.setSoLinger(true, 0);
      } catch (IOException e) {
        // closed
      }
    }
  }
}
