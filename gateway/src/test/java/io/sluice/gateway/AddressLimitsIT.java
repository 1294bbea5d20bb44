package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits per address, and limits of the node over all clients. */
@Timeout(180)
final class AddressLimitsIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration BRIEF = Duration.ofMillis(200);

  // Nothing listens there: all of this goes without a broker.
  private static final Config CONFIG = TestNode.config("artemis", "tcp://127.0.0.1:1");

  @TempDir private static Path folder;

  private static TestCertificate certificate;
  private static SSLContext trust;

  @BeforeAll
  static void create() {
    certificate = TestCertificate.create(folder, "node", "EC");
    trust = certificate.trust();
  }

  private static double reached(TestNode node, Setting<?> limit) {
    return node.metric("sluice_limits_reached_total{limit=\"" + limit.key() + "\"}");
  }

  private static double refused(TestNode node, String cause) {
    return node.metric("sluice_handshakes_refused_total{cause=\"" + cause + "\"}");
  }

  private static int status(RawWebSocket.Request request) {
    try (RawWebSocket client = request.attempt()) {
      return client.status();
    }
  }

  /** The first of some requests that comes too soon: where the machine is slow, not the first. */
  private static RawWebSocket tooSoon(Supplier<RawWebSocket.Request> requests) {
    for (int tries = 0; tries < 20; tries++) {
      RawWebSocket client = requests.get().attempt();
      if (client.status() == 429 || client.status() == 503) {
        return client;
      }
      client.close();
    }
    throw new AssertionError("none of 20 requests came within a second of another");
  }

  private static int statusTooSoon(Supplier<RawWebSocket.Request> requests) {
    try (RawWebSocket refused = tooSoon(requests)) {
      return refused.status();
    }
  }

  @Test
  void shouldBoundTheConnectionsOfOneAddress() {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.ADDRESS_CONNECTIONS, 2);
        RawWebSocket other = node.request().from("127.0.0.22").open()) {
      RawWebSocket first = node.request().from("127.0.0.21").open();
      try (RawWebSocket stream =
          node.stream("{\"type\":\"subscribe\",\"topic\":\"a\"}").from("127.0.0.21").open()) {
        assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(429);
        assertThat(status(node.stream("{\"type\":\"ping\"}").from("127.0.0.21"))).isEqualTo(429);
        assertThat(reached(node, LimitSettings.ADDRESS_CONNECTIONS)).isEqualTo(2);
        first.close();
        await()
            .atMost(TIMEOUT)
            .untilAsserted(
                () -> assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101));
        assertThat(stream.status() + other.status()).isEqualTo(301);
      }
    }
  }

  @Test
  void shouldBoundTheHandshakesOfOneAddress() {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.ADDRESS_HANDSHAKE_RATE, 1)) {
      assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101);
      try (RawWebSocket refused = tooSoon(() -> node.request().from("127.0.0.21"))) {
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("5");
        assertThat(refused.body())
            .contains("\"handshake rate exceeds limits.per-address.handshake-rate (1/s)\"");
      }
      assertThat(statusTooSoon(() -> node.stream("{\"type\":\"ping\"}").from("127.0.0.21")))
          .isEqualTo(429);
      assertThat(status(node.request().from("127.0.0.22"))).isEqualTo(101);
      assertThat(reached(node, LimitSettings.ADDRESS_HANDSHAKE_RATE)).isEqualTo(2);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () -> assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101));
    }
  }

  /** Requests other than handshakes: a page, and preflight requests of browsers. */
  @ParameterizedTest
  @ValueSource(strings = {"GET /no-such-page HTTP/1.1", "OPTIONS /stream HTTP/1.1"})
  void shouldCountOtherRequestsOfOneAddress(String line) {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.ADDRESS_HANDSHAKE_RATE, 1)) {
      assertThat(status(node.request().requestLine(line).from("127.0.0.21"))).isIn(204, 404);
      try (RawWebSocket refused =
          tooSoon(() -> node.request().requestLine(line).from("127.0.0.21"))) {
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("5");
        assertThat(refused.body())
            .contains("\"handshake rate exceeds limits.per-address.handshake-rate (1/s)\"");
      }
      assertThat(status(node.request().requestLine(line).from("127.0.0.22"))).isIn(204, 404);
      assertThat(reached(node, LimitSettings.ADDRESS_HANDSHAKE_RATE)).isEqualTo(1);
    }
  }

  /** Requests are too few for it here. */
  @Test
  void shouldCountSilentConnectionsAsHandshakesOfTheirAddress() throws IOException {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.ADDRESS_HANDSHAKE_RATE, 50)) {
      await()
          .atMost(TIMEOUT)
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                List<Socket> silent = silent(node, "127.0.0.21", 60);
                int status = status(node.request().from("127.0.0.21"));
                close(silent);
                return status == 429;
              });
      assertThat(status(node.request().from("127.0.0.22"))).isEqualTo(101);
      assertThat(refused(node, "too-many")).as("below ten times the rate").isZero();
    }
  }

  @Test
  void shouldCloseSilentConnectionsBeyondTenTimesTheRate() throws IOException {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.ADDRESS_HANDSHAKE_RATE, 5)) {
      await()
          .atMost(TIMEOUT)
          .until(
              () -> {
                close(silent(node, "127.0.0.21", 20));
                return refused(node, "too-many") > 0;
              });
      assertThat(reached(node, LimitSettings.ADDRESS_HANDSHAKE_RATE)).isPositive();
      assertThat(status(node.request().from("127.0.0.22"))).isEqualTo(101);
    }
  }

  /** A proxy's connections belong to many clients; its own requests are health checks. */
  @Test
  void shouldCountRequestsBehindATrustedProxyForTheirClients() {
    Config config =
        CONFIG
            .with(LimitSettings.ADDRESS_HANDSHAKE_RATE, 1)
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.21"))
            .with(ServerSettings.FORWARDED_HEADER, "x-forwarded-for");
    String page = "GET / HTTP/1.1";
    try (TestNode node = TestNode.start(config)) {
      for (int i = 0; i < 10; i++) {
        assertThat(status(node.request().requestLine(page).from("127.0.0.21"))).isEqualTo(404);
      }
      assertThat(status(forwarded(node, "127.0.0.21", "192.0.2.1").requestLine(page)))
          .isEqualTo(404);
      assertThat(statusTooSoon(() -> forwarded(node, "127.0.0.21", "192.0.2.1").requestLine(page)))
          .isEqualTo(429);
      assertThat(status(forwarded(node, "127.0.0.21", "192.0.2.2").requestLine(page)))
          .isEqualTo(404);
      assertThat(reached(node, LimitSettings.ADDRESS_HANDSHAKE_RATE)).isEqualTo(1);
    }
  }

  @Test
  void shouldBoundTheHandshakesOfTheNode() {
    Config config = TestNode.unlimited(CONFIG).with(LimitSettings.HANDSHAKE_RATE, 1);
    try (TestNode node = TestNode.start(config)) {
      assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101);
      assertThat(statusTooSoon(() -> node.request().from("127.0.0.22"))).isEqualTo(503);
      assertThat(reached(node, LimitSettings.HANDSHAKE_RATE)).isEqualTo(1);
    }
  }

  private static Socket silent(TestNode node, String from) throws IOException {
    InetAddress to = InetAddress.getByName("127.0.0.1");
    return new Socket(to, node.gateway().port(), InetAddress.getByName(from), 0);
  }

  /** Returns whether the node closes a connection that sends only this, before the timeout. */
  private static boolean isCut(TestNode node, String from, Duration within, byte... preface) {
    try (Socket socket = silent(node, from)) {
      socket.getOutputStream().write(preface);
      return isCut(socket, within);
    } catch (IOException reset) {
      return true;
    }
  }

  private static boolean isCut(Socket socket) {
    return isCut(socket, BRIEF);
  }

  private static boolean isCut(Socket socket, Duration within) {
    try {
      socket.setSoTimeout((int) within.toMillis());
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  /** An address that says nothing must not take the places of those that would. */
  @Test
  void shouldBoundTheSilentConnectionsOfOneAddress() throws IOException {
    try (TestNode node = TestNode.start(CONFIG, LimitSettings.ADDRESS_CONNECTIONS, 2)) {
      List<Socket> silent = silent(node, "127.0.0.1", 5);
      await().atMost(TIMEOUT).until(() -> refused(node, "too-many") == 3);
      assertThat(reached(node, LimitSettings.ADDRESS_CONNECTIONS)).isEqualTo(3);
      assertThat(status(node.request().from("127.0.0.1"))).as("a newcomer").isEqualTo(101);
      assertThat(status(node.request().from("127.0.0.2"))).isEqualTo(101);
      assertThat(silent.stream().filter(AddressLimitsIT::isCut)).hasSize(4);
      close(silent);
      assertThat(status(node.request().from("127.0.0.1"))).isEqualTo(101);
    }
  }

  @Test
  void shouldBoundTheSilentConnectionsOfAnAddressBehindAProxy() throws IOException {
    Config config =
        CONFIG
            .with(LimitSettings.ADDRESS_CONNECTIONS, 2)
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.0/8"))
            .with(ServerSettings.PROXY_PROTOCOL, true);
    try (TestNode node = TestNode.start(config)) {
      List<Socket> silent = silent(node, "127.0.0.1", 5, header("192.0.2.1"));
      await().atMost(TIMEOUT).until(() -> refused(node, "too-many") == 3);
      List<Socket> unknown = silent(node, "127.0.0.1", 5);
      assertThat(isCut(node, "127.0.0.1", BRIEF, header("192.0.2.2"))).isFalse();
      assertThat(refused(node, "too-many")).isEqualTo(3);
      close(unknown);
      close(silent);
    }
  }

  private static List<Socket> silent(TestNode node, String from, int count, byte... preface)
      throws IOException {
    List<Socket> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      opened.add(silent(node, from));
      opened.get(i).getOutputStream().write(preface);
    }
    return opened;
  }

  private static void close(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static byte[] header(String client) {
    return ("PROXY TCP4 " + client + " 10.0.0.1 1000 80\r\n").getBytes(US_ASCII);
  }

  private static Config withTls() {
    return CONFIG
        .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(ServerSettings.TLS_KEY, certificate.key().toString());
  }

  @Test
  void shouldRefuseAnAddressBeforeItsTlsHandshake() {
    Config config = withTls().with(LimitSettings.ADDRESS_CONNECTIONS, 1);
    try (TestNode node = TestNode.start(config);
        RawWebSocket first = node.request().from("127.0.0.21").tls(trust).open();
        RawWebSocket other = node.request().from("127.0.0.22").tls(trust).open()) {
      assertThat(isCut(node, "127.0.0.21", TIMEOUT)).isTrue();
      assertThat(reached(node, LimitSettings.ADDRESS_CONNECTIONS)).isEqualTo(1);
      assertThat(refused(node, "before-tls")).isEqualTo(1);
      assertThat(first.status() + other.status()).isEqualTo(202);
    }
  }

  /** Without this limit, connections without a request would be unlimited. */
  @Test
  void shouldCountATlsHandshakeAsOneOfItsAddress() throws IOException {
    Config config = withTls().with(LimitSettings.ADDRESS_HANDSHAKE_RATE, 1);
    try (TestNode node = TestNode.start(config);
        Socket first = silent(node, "127.0.0.21")) {
      assertThat(first.isConnected()).isTrue();
      await().atMost(TIMEOUT).until(() -> isCut(node, "127.0.0.21", BRIEF));
      assertThat(reached(node, LimitSettings.ADDRESS_HANDSHAKE_RATE)).isEqualTo(1);
      try (RawWebSocket other = node.request().from("127.0.0.22").tls(trust).open()) {
        assertThat(other.status()).as("charged once, not again for its request").isEqualTo(101);
      }
    }
  }

  @Test
  void shouldRejectAllClientsBeforeTlsWhileTheNodeIsFull() {
    Config config =
        withTls()
            .with(LimitSettings.CONNECTIONS, 1)
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.0/8"))
            .with(ServerSettings.FORWARDED_HEADER, "x-forwarded-for");
    try (TestNode node = TestNode.start(config)) {
      try (RawWebSocket only = node.request().tls(trust).open()) {
        assertThat(isCut(node, "127.0.0.21", TIMEOUT)).isTrue();
        assertThat(reached(node, LimitSettings.CONNECTIONS)).isEqualTo(1);
        assertThat(only.status()).isEqualTo(101);
      }
      await().atMost(TIMEOUT).until(() -> node.gateway().connections() == 0);
      assertThat(status(node.request().tls(trust))).isEqualTo(101);
    }
  }

  /** The proxy's own address says nothing of whose connection it is. */
  @Test
  void shouldLeaveClientsBehindATrustedProxyToTheirRequest() {
    Config config =
        withTls()
            .with(LimitSettings.ADDRESS_CONNECTIONS, 1)
            .with(LimitSettings.ADDRESS_HANDSHAKE_RATE, 1)
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.21"))
            .with(ServerSettings.FORWARDED_HEADER, "x-forwarded-for");
    try (TestNode node = TestNode.start(config);
        RawWebSocket a = forwarded(node, "127.0.0.21", "192.0.2.1").tls(trust).open();
        RawWebSocket b = forwarded(node, "127.0.0.21", "192.0.2.2").tls(trust).open()) {
      assertThat(a.status() + b.status()).isEqualTo(202);
      assertThat(statusTooSoon(() -> forwarded(node, "127.0.0.21", "192.0.2.1").tls(trust)))
          .isEqualTo(429);
    }
  }

  @Test
  void shouldRefuseTheAddressOfAProxyProtocolBeforeTls() {
    Config config =
        withTls()
            .with(LimitSettings.ADDRESS_HANDSHAKE_RATE, 1)
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.0/8"))
            .with(ServerSettings.PROXY_PROTOCOL, true);
    try (TestNode node = TestNode.start(config)) {
      await().atMost(TIMEOUT).until(() -> isCut(node, "127.0.0.1", BRIEF, header("192.0.2.1")));
      assertThat(refused(node, "before-tls")).isEqualTo(1);
      assertThat(isCut(node, "127.0.0.1", BRIEF, header("192.0.2.2"))).isFalse();
    }
  }

  @Test
  void shouldCountNoMoreAddressesThanItMay() {
    Config config =
        TestNode.unlimited(CONFIG)
            .with(LimitSettings.ADDRESS_CONNECTIONS, 1)
            .with(LimitSettings.ADDRESSES, 1);
    try (TestNode node = TestNode.start(config);
        RawWebSocket known = node.request().from("127.0.0.21").open();
        RawWebSocket first = node.request().from("127.0.0.22").open();
        RawWebSocket second = node.request().from("127.0.0.22").open()) {
      assertThat(first.status() + second.status() + known.status()).isEqualTo(303);
      assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(429);
      assertThat(reached(node, LimitSettings.ADDRESSES)).isEqualTo(2);
    }
  }

  @Test
  void shouldAcceptClientAddressesFromTrustedProxiesOnly() {
    Config config =
        CONFIG
            .with(LimitSettings.ADDRESS_CONNECTIONS, 1)
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.21"))
            .with(ServerSettings.FORWARDED_HEADER, "x-forwarded-for");
    try (TestNode node = TestNode.start(config);
        RawWebSocket behind = forwarded(node, "127.0.0.21", "192.0.2.1").open();
        RawWebSocket other = forwarded(node, "127.0.0.21", "192.0.2.2").open();
        RawWebSocket direct = forwarded(node, "127.0.0.22", "192.0.2.1").open()) {
      assertThat(behind.status() + other.status() + direct.status()).isEqualTo(303);
      assertThat(status(forwarded(node, "127.0.0.21", "192.0.2.1"))).isEqualTo(429);
      assertThat(status(forwarded(node, "127.0.0.22", "192.0.2.3"))).isEqualTo(429);
    }
  }

  private static RawWebSocket.Request forwarded(TestNode node, String from, String client) {
    return node.request().from(from).set("X-Forwarded-For", client);
  }
}
