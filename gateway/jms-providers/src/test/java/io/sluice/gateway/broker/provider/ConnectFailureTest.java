package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Causes that an operator reads when a broker cannot be reached. */
@Timeout(120)
final class ConnectFailureTest {
  @TempDir private Path folder;

  /** Attempts to connect; returns the cause in words. */
  private static String failure(String provider, String url) {
    Config config =
        Config.defaults().with(BrokerSettings.PROVIDER, provider).with(BrokerSettings.URL, url);
    Provider created = ProviderOptions.of(config).newProvider();
    return SourceState.describe(catchThrowable(() -> created.connect(0, () -> {})));
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldNameARefusedConnection(String provider) {
    assertThat(failure(provider, "tcp://127.0.0.1:" + FreePorts.one()))
        .contains("Connection refused");
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldNameAnUnknownHost(String provider) {
    assertThat(failure(provider, "tcp://broker.invalid:61616"))
        .startsWith("UnknownHostException broker.invalid");
  }

  @Test
  void shouldNameACertificateThatIsNotTrusted() throws IOException {
    Issued issued = TestAuthority.create(folder, "a").issue("broker", "CN=b", "SAN=dns:localhost");
    try (ServerSocket server =
        TestAuthority.context(issued.store(), issued.store())
            .getServerSocketFactory()
            .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread handshake = new Thread(() -> handshake(server));
      handshake.setDaemon(true);
      handshake.start();
      String url = "tcp://localhost:%d?sslEnabled=true";
      assertThat(failure("artemis", url.formatted(server.getLocalPort())))
          .startsWith("PKIX path building failed");
    }
  }

  private static void handshake(ServerSocket server) {
    try (SSLSocket client = (SSLSocket) server.accept()) {
      client.startHandshake();
      client.getInputStream().read();
    } catch (IOException e) {
      // The client refuses the certificate.
    }
  }

  @Test
  void shouldNameTheTimeoutOfASilentBroker() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "tcp://127.0.0.1:%d?connect-timeout-millis=300";
      assertThat(failure("artemis", url.formatted(silent.getLocalPort())))
          .isEqualTo("no response within 300 ms (connect-timeout-millis)");
    }
  }
}
