package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients behind an HAProxy that reports their addresses. Each address may have one connection. */
@Timeout(180)
final class ProxiedClientsIT {
  private static final String HOST = "127.0.0.1";
  private static final Config CONFIG =
      TestNode.config("artemis", "tcp://127.0.0.1:1")
          .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.9"))
          .with(LimitSettings.ADDRESS_CONNECTIONS, 1);

  @TempDir private Path folder;

  private static String program;

  @BeforeAll
  static void find() throws Exception {
    Optional<String> found = TestProgram.provide("haproxy");
    assumeTrue(found.isPresent(), "there is no HAProxy, see above");
    program = found.get();
  }

  private void assertSeesClients(Config config, String server, String rule) throws IOException {
    assertSeesClients(config, server, rule, 429);
  }

  private void assertSeesClients(Config config, String server, String rule, int refused)
      throws IOException {
    String listens = HOST + ":" + FreePorts.at(HOST);
    try (TestNode node = TestNode.start(config);
        Haproxy haproxy =
            Haproxy.start(
                program,
                folder,
                listens,
                HOST + ":" + node.gateway().port() + " source 127.0.0.9 " + server,
                rule);
        RawWebSocket first = from(haproxy, "127.0.0.21").open();
        RawWebSocket second = from(haproxy, "127.0.0.22").open();
        RawWebSocket again = from(haproxy, "127.0.0.21").attempt()) {
      first.text("{\"type\":\"ping\",\"ref\":1}");
      first.await("pong");
      assertThat(second.status()).isEqualTo(101);
      assertThat(again.status()).isEqualTo(refused);
    }
  }

  private static RawWebSocket.Request from(Haproxy haproxy, String client) {
    int colon = haproxy.address().indexOf(':');
    int port = Integer.parseInt(haproxy.address().substring(colon + 1));
    return RawWebSocket.to(HOST, port, "/ws").from(client);
  }

  @ParameterizedTest
  @ValueSource(strings = {"send-proxy", "send-proxy-v2"})
  void shouldBeSeenByTheProxyProtocol(String version) throws IOException {
    assertSeesClients(CONFIG.with(ServerSettings.PROXY_PROTOCOL, true), version, "");
  }

  @Tag("full")
  @Test
  void shouldBeSeenByTheProxyProtocolBeforeTls() throws IOException {
    TestCertificate certificate = TestCertificate.create(folder, "node", "EC");
    Config config =
        CONFIG
            .with(ServerSettings.PROXY_PROTOCOL, true)
            .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
            .with(ServerSettings.TLS_KEY, certificate.key().toString());
    // Without a TLS handshake the node can say nothing; the proxy answers for it.
    assertSeesClients(config, "send-proxy-v2 ssl verify none", "", 503);
  }

  @Test
  void shouldBeSeenByXForwardedFor() throws IOException {
    assertSeesClients(
        CONFIG.with(ServerSettings.FORWARDED_HEADER, "x-forwarded-for"), "", "option forwardfor");
  }
}
