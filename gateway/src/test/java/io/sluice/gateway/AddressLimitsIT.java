package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.transport.RawWebSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much of a node one address may have, and the node of its clients together. */
@Timeout(120)
final class AddressLimitsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  // Nothing listens there: all of this goes without a broker.
  private static final Config CONFIG = TestNode.config("artemis", "tcp://127.0.0.1:1");

  private static double reached(TestNode node, Setting<?> limit) {
    return node.metric("sluice_limits_reached_total{limit=\"" + limit.key() + "\"}");
  }

  private static int status(RawWebSocket.Request request) {
    try (RawWebSocket client = request.attempt()) {
      return client.status();
    }
  }

  @Test
  void shouldBoundTheConnectionsOfOneAddress() {
    try (TestNode node = TestNode.start(CONFIG, Settings.LIMIT_ADDRESS_CONNECTIONS, 2);
        RawWebSocket other = node.request().from("127.0.0.22").open()) {
      RawWebSocket first = node.request().from("127.0.0.21").open();
      try (RawWebSocket stream =
          node.stream("{\"type\":\"subscribe\",\"topic\":\"a\"}").from("127.0.0.21").open()) {
        assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(429);
        assertThat(status(node.stream("{\"type\":\"ping\"}").from("127.0.0.21"))).isEqualTo(429);
        assertThat(reached(node, Settings.LIMIT_ADDRESS_CONNECTIONS)).isEqualTo(2);
        first.close();
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101));
        assertThat(stream.status() + other.status()).isEqualTo(301);
      }
    }
  }

  @Test
  void shouldBoundTheHandshakesOfOneAddress() {
    try (TestNode node = TestNode.start(CONFIG, Settings.LIMIT_ADDRESS_HANDSHAKE_RATE, 1)) {
      assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101);
      try (RawWebSocket refused = node.request().from("127.0.0.21").attempt()) {
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("5");
        assertThat(refused.body()).isEqualTo("too many handshakes from this address\n");
      }
      assertThat(status(node.stream("{\"type\":\"ping\"}").from("127.0.0.21"))).isEqualTo(429);
      assertThat(status(node.request().from("127.0.0.22"))).isEqualTo(101);
      assertThat(reached(node, Settings.LIMIT_ADDRESS_HANDSHAKE_RATE)).isEqualTo(2);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101));
    }
  }

  @Test
  void shouldBoundTheHandshakesOfTheNode() {
    try (TestNode node = TestNode.start(CONFIG, Settings.LIMIT_HANDSHAKE_RATE, 1)) {
      assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(101);
      assertThat(status(node.request().from("127.0.0.22"))).isEqualTo(503);
      assertThat(reached(node, Settings.LIMIT_HANDSHAKE_RATE)).isEqualTo(1);
    }
  }

  @Test
  void shouldCountNoMoreAddressesThanItMay() {
    Config config =
        CONFIG.with(Settings.LIMIT_ADDRESS_CONNECTIONS, 1).with(Settings.LIMIT_ADDRESSES, 1);
    try (TestNode node = TestNode.start(config);
        RawWebSocket known = node.request().from("127.0.0.21").open();
        RawWebSocket first = node.request().from("127.0.0.22").open();
        RawWebSocket second = node.request().from("127.0.0.22").open()) {
      assertThat(first.status() + second.status() + known.status()).isEqualTo(303);
      assertThat(status(node.request().from("127.0.0.21"))).isEqualTo(429);
      assertThat(reached(node, Settings.LIMIT_ADDRESSES)).isEqualTo(2);
    }
  }

  @Test
  void shouldBelieveATrustedProxyOnly() {
    Config config =
        CONFIG
            .with(Settings.LIMIT_ADDRESS_CONNECTIONS, 1)
            .with(Settings.SERVER_TRUSTED_PROXIES, List.of("127.0.0.21"))
            .with(Settings.SERVER_FORWARDED_HEADER, "x-forwarded-for");
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
