package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of MQTT without WebSockets, on each transport and with TLS. */
@Timeout(180)
final class MqttPortsIT {
  private static Config config(TestBroker broker, int port) {
    return TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
        .with(ServerSettings.PROTOCOLS, List.of("mqtt:" + port));
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio"})
  void shouldServeClientsWithoutWebSockets(String transport) throws Exception {
    int port = FreePorts.one();
    try (TestBroker broker = ArtemisProcess.start();
        TestNode node =
            TestNode.start(
                config(broker, port)
                    .with(ServerSettings.TRANSPORT, transport)
                    .with(LimitSettings.ADDRESS_CONNECTIONS, 3))) {
      node.awaitReady();
      try (MqttTestClient v5 = MqttTestClient.open(new Socket("127.0.0.1", port), true);
          MqttTestClient old = MqttTestClient.open(new Socket("127.0.0.1", port), false);
          MqttTestClient web = MqttTestClient.connect(node, true);
          Socket refused = new Socket("127.0.0.1", port)) {
        exchange(v5, old, web);
        assertThat(refused.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  private static void exchange(MqttTestClient v5, MqttTestClient old, MqttTestClient web) {
    connect(v5);
    connect(old);
    for (MqttTestClient client : List.of(v5, old, web)) {
      assertThat(client.subscribe(1, "m/#")).containsExactly(1);
      assertThat(client.subscribe(0, "n")).containsExactly(0);
    }
    old.publish("m/a", "one");
    old.publish("n", "zero");
    for (MqttTestClient client : List.of(v5, old, web)) {
      assertThat(client.payloads(2)).containsExactlyInAnyOrder("one", "zero");
    }
    old.disconnect();
  }

  @Test
  void shouldServeClientsWithTls(@TempDir Path folder) throws Exception {
    int port = FreePorts.one();
    TestCertificate certificate = TestCertificate.create(folder, "localhost", "EC");
    try (TestBroker broker = ArtemisProcess.start();
        TestNode node = TestNode.start(withTls(config(broker, port), certificate))) {
      node.awaitReady();
      Socket tls = certificate.trust().getSocketFactory().createSocket("localhost", port);
      try (MqttTestClient client = MqttTestClient.open(tls, true)) {
        connect(client);
        client.subscribe(1, "m");
        client.publish("m", "encrypted");
        assertThat(client.message().payload()).isEqualTo("encrypted");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio", "tls"})
  void shouldReadTheProxyProtocol(String transport, @TempDir Path folder) throws Exception {
    int port = FreePorts.one();
    TestCertificate certificate =
        transport.equals("tls") ? TestCertificate.create(folder, "localhost", "EC") : null;
    Config config = // nothing listens there: all of this goes without a broker
        TestNode.config("artemis", "tcp://127.0.0.1:1")
            .with(ServerSettings.PROTOCOLS, List.of("mqtt:" + port))
            .with(ServerSettings.PROXY_PROTOCOL, true)
            .with(ServerSettings.TRUSTED_PROXIES, List.of("127.0.0.0/8"))
            .with(LimitSettings.ADDRESS_CONNECTIONS, 1);
    config =
        certificate == null
            ? config.with(ServerSettings.TRANSPORT, transport)
            : withTls(config, certificate);
    String from = "PROXY TCP4 192.0.2.%d 10.0.0.1 1000 80\r\n";
    try (TestNode node = TestNode.start(config);
        MqttTestClient first = proxied(port, from.formatted(1), certificate);
        MqttTestClient second = proxied(port, from.formatted(2), certificate)) {
      assertThat(List.of(first, second)).allSatisfy(MqttPortsIT::connect);
      for (String refused : List.of(from.formatted(1), "")) {
        assertThatThrownBy(
            () -> {
              try (MqttTestClient client = proxied(port, refused, certificate)) {
                connect(client);
              }
            });
      }
      assertThat(node.metric("sluice_connections")).isEqualTo(2);
    }
  }

  private static Config withTls(Config config, TestCertificate certificate) {
    return config
        .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(ServerSettings.TLS_KEY, certificate.key().toString());
  }

  private static void connect(MqttTestClient client) {
    client.connect(each -> each.clientId("").cleanSession(true));
  }

  /**
   * @param certificate of the node, or null without TLS
   */
  private static MqttTestClient proxied(int port, String header, TestCertificate certificate)
      throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    socket.getOutputStream().write(header.getBytes(StandardCharsets.US_ASCII));
    return MqttTestClient.open(
        certificate == null
            ? socket
            : certificate.trust().getSocketFactory().createSocket(socket, "localhost", port, true),
        true);
  }
}
