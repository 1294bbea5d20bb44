package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections that must begin with a header of the PROXY protocol, valid and invalid ones. Each
 * address may have one connection, which shows the address that the node assumes for a client.
 */
@Timeout(180)
final class ProxyProtocolIT {
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
  private static final String TCP_FROM_192_0_2_1 = "2111000cc00002010a00000103e80050";

  // Nothing listens there: all of this goes without a broker.
  private static final Config CONFIG =
      TestNode.config("artemis", "tcp://127.0.0.1:1")
          .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.0/8"))
          .with(ServerSettings.PROXY_PROTOCOL, true)
          .with(LimitSettings.ADDRESS_CONNECTIONS, 1);

  @TempDir private static Path folder;

  private static byte[] v1(String rest) {
    return ("PROXY " + rest + "\r\n").getBytes(ISO_8859_1);
  }

  private static byte[] v2(String rest) {
    return HexFormat.of().parseHex(SIGNATURE + rest);
  }

  private static double refused(TestNode node, String cause) {
    return node.metric("sluice_handshakes_refused_total{cause=\"" + cause + "\"}");
  }

  private static void assertServes(RawWebSocket client) {
    client.text("{\"type\":\"ping\",\"ref\":1}");
    client.await("pong");
  }

  private static String answer(TestNode node, byte[] bytes) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", node.gateway().port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(bytes);
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static void assertRefused(TestNode node, byte[] bytes) throws IOException {
    assertThat(answer(node, bytes)).startsWith("HTTP/1.1 400 ").contains("proxy-protocol");
  }

  /** The node closes the connection without an answer, and without reading all bytes. */
  private static void assertCut(TestNode node, byte[] bytes) throws IOException {
    try {
      assertThat(answer(node, bytes)).isEmpty();
    } catch (SocketTimeoutException e) {
      throw new AssertionError("still open", e);
    } catch (SocketException reset) {
      // unread bytes turn the end into a reset
    }
  }

  private static void assertFrom(TestNode node, byte[] header, byte[] sameClient, byte[] other) {
    try (RawWebSocket first = node.request().preface(header).open();
        RawWebSocket again = node.request().preface(sameClient).attempt();
        RawWebSocket second = node.request().preface(other).open()) {
      assertServes(first);
      assertServes(second);
      assertThat(again.status()).isEqualTo(429);
      assertThat(again.header("Retry-After")).isEqualTo("5");
      assertThat(again.body())
          .contains("number of connections exceeds limits.per-address.connections (1)");
    }
  }

  @Test
  void shouldReadTheClientsAddressFromBothVersions() {
    try (TestNode node = TestNode.start(CONFIG)) {
      assertFrom(
          node,
          v1("TCP4 192.0.2.1 10.0.0.1 1000 80"),
          v2(TCP_FROM_192_0_2_1),
          v1("TCP4 192.0.2.2 10.0.0.1 1000 80"));
    }
  }

  @Test
  void shouldCountIpv6ByItsNetwork() {
    try (TestNode node = TestNode.start(CONFIG)) {
      assertFrom(
          node,
          v1("TCP6 2001:db8::1 2001:db8::2 1000 80"),
          v1("TCP6 2001:db8::ffff:1 2001:db8::2 1000 80"),
          v1("TCP6 2001:db8:0:1::1 2001:db8::2 1000 80"));
    }
  }

  @Test
  void shouldUseTheProxysAddressForItsOwnConnections() {
    try (TestNode node = TestNode.start(CONFIG)) {
      assertFrom(node, v1("UNKNOWN"), v2("20000000"), v1("TCP4 192.0.2.1 10.0.0.1 1000 80"));
    }
  }

  @Test
  void shouldReadAFragmentedHeader() throws IOException {
    try (TestNode node = TestNode.start(CONFIG);
        Socket socket = new Socket("127.0.0.1", node.gateway().port())) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(30_000);
      for (byte single : v2(TCP_FROM_192_0_2_1)) {
        socket.getOutputStream().write(single);
      }
      socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(ISO_8859_1));
      assertThat(new String(socket.getInputStream().readNBytes(12), ISO_8859_1))
          .isEqualTo("HTTP/1.1 404");
    }
  }

  @Test
  void shouldReadAHeaderBeforeTls() {
    TestCertificate certificate = TestCertificate.create(folder, "proxied", "EC");
    try (TestNode node = TestNode.start(withTls(certificate))) {
      try (Socket plain = new Socket("127.0.0.1", node.gateway().port())) {
        plain.getOutputStream().write(v1("TCP4 192.0.2.1 10.0.0.1 1000 80"));
        try (Socket secure =
            certificate.trust().getSocketFactory().createSocket(plain, "127.0.0.1", 0, true)) {
          secure.setSoTimeout(30_000);
          secure.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(ISO_8859_1));
          assertThat(new String(secure.getInputStream().readNBytes(12), ISO_8859_1))
              .isEqualTo("HTTP/1.1 404");
        }
        // A TLS handshake without a header is none.
        byte[] hello = HexFormat.of().parseHex("16030100c8010000c40303" + "00".repeat(200));
        assertCut(node, hello);
        await().untilAsserted(() -> assertThat(refused(node, "proxy-protocol")).isEqualTo(1));
        assertThat(refused(node, "tls")).isZero();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static Config withTls(TestCertificate certificate) {
    return CONFIG
        .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(ServerSettings.TLS_KEY, certificate.key().toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n",
        "PROXY TCP4 nonsense\r\n",
        "PROXY TCP4 192.0.2.1 10.0.0.1 1000\r\n",
        "PROXY TCP4 192.0.2.999 10.0.0.1 1000 80\r\n",
        "PROXY TCP4 192.0.2.1 10.0.0.1 1000 99999\r\n",
        "PROXY UDP4 192.0.2.1 10.0.0.1 1000 80\r\n",
        "PROXY SOMETHING THAT NEVER"
            + " ENDS..............................................................."
            + "....................................................................................."
      })
  void shouldCloseConnectionsWithoutAHeader(String bytes) throws IOException {
    try (TestNode node = TestNode.start(CONFIG)) {
      assertRefused(node, bytes.getBytes(ISO_8859_1));
      await().untilAsserted(() -> assertThat(refused(node, "proxy-protocol")).isEqualTo(1));
      try (RawWebSocket client = node.request().preface(v1("UNKNOWN")).open()) {
        assertServes(client);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3111000cc00002010a00000103e80050", // version 3
        "2211000cc00002010a00000103e80050", // no such command
        "2112000cc00002010a00000103e80050", // UDP
        "21110004c0000201" // too short for its addresses
      })
  void shouldCloseConnectionsWithInvalidBinaryHeaders(String rest) throws IOException {
    try (TestNode node = TestNode.start(CONFIG)) {
      assertRefused(node, v2(rest));
      await().untilAsserted(() -> assertThat(refused(node, "proxy-protocol")).isEqualTo(1));
    }
  }

  @Test
  void shouldCloseConnectionsWithTooLongBinaryHeaders() throws IOException {
    try (TestNode node = TestNode.start(CONFIG)) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(v2("2111ffff"));
      bytes.writeBytes(new byte[4096]);
      try {
        assertRefused(node, bytes.toByteArray());
      } catch (SocketException reset) {
        // The node closes after its limit. If it has not read the rest, a reset discards the
        // answer.
      }
      await().untilAsserted(() -> assertThat(refused(node, "proxy-protocol")).isEqualTo(1));
    }
  }

  @Test
  void shouldCloseConnectionsOfOtherAddresses() throws IOException {
    Config elsewhere = CONFIG.with(ServerSettings.TRUSTED_PROXIES, List.of("192.0.2.0/24"));
    try (TestNode node = TestNode.start(elsewhere)) {
      assertCut(node, v1("TCP4 192.0.2.1 10.0.0.1 1000 80"));
      await().untilAsserted(() -> assertThat(refused(node, "proxy-protocol")).isEqualTo(1));
    }
  }

  @Test
  void shouldCloseConnectionsWithEndlessHeaders() throws IOException {
    Config hasty = CONFIG.with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(500));
    try (TestNode node = TestNode.start(hasty)) {
      assertRefused(node, new byte[] {'P', 'R', 'O'});
      await().untilAsserted(() -> assertThat(refused(node, "timeout")).isEqualTo(1));
    }
  }
}
