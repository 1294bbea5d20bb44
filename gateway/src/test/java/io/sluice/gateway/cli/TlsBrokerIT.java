package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes that reach their broker by TLS, as an operator sets that up. */
@Tag("full")
@Timeout(180)
final class TlsBrokerIT {
  private static final String ARTEMIS =
      "tcp://HOST?sslEnabled=true&trustStorePath=STORE&trustStorePassword="
          + TestAuthority.PASSWORD;

  @TempDir private static Path folder;

  private static Issued right;
  private static Issued stranger;

  @BeforeAll
  static void create() {
    right =
        TestAuthority.create(folder, "authority").issue("right", "CN=broker", "SAN=dns:localhost");
    stranger = TestAuthority.create(folder, "others").issue("x", "CN=x", "SAN=dns:localhost");
  }

  /** A node that trusts the authority of a certificate. */
  private static SluiceProcess run(String provider, String url, Issued trusted) throws IOException {
    Path file =
        Files.writeString(
            Files.createTempFile(folder, provider, ".yaml"),
            """
            server: {host: 127.0.0.1, port: 0}
            admin.port: 0
            auth.anonymous: true
            broker.provider: %s
            broker.url: "%s"
            """
                .formatted(provider, url.replace("STORE", trusted.store().toString())));
    // Classic has no setting for trusted authorities.
    String trust =
        "-XX:TieredStopAtLevel=1 -Djavax.net.ssl.trustStorePassword="
            + TestAuthority.PASSWORD
            + " -Djavax.net.ssl.trustStore="
            + trusted.store();
    return SluiceProcess.start(
        List.of("env", "SLUICE_JAVA_OPTS=" + trust, SluiceProcess.LAUNCHER.toString()),
        "run",
        "--config",
        file.toString());
  }

  private static void awaitLogged(SluiceProcess run, String... parts) {
    for (String part : parts) {
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> assertThat(run.errors()).anySatisfy(line -> assertThat(line).contains(part)));
    }
    assertThat(run.errors())
        .noneSatisfy(line -> assertThat(line).contains("Password=" + TestAuthority.PASSWORD));
  }

  @ParameterizedTest
  @CsvSource({"artemis, " + ARTEMIS, "classic, ssl://HOST", "classic, failover:(ssl://HOST)"})
  void shouldConnectToTheBrokerOfTheCertificateOnly(String provider, String url)
      throws IOException {
    try (TestBroker broker = TestBroker.startWithTls(provider, right)) {
      int port = URI.create(broker.url()).getPort();
      String named = url.replace("HOST", "localhost:" + port);
      String unnamed = url.replace("HOST", "127.0.0.1:" + port);
      try (SluiceProcess good = run(provider, named, right);
          SluiceProcess wrongHost = run(provider, unnamed, right);
          SluiceProcess wrongAuthority = run(provider, named, stranger)) {
        awaitLogged(good, "broker.connected");
        awaitLogged(wrongHost, "broker.unreachable", "No subject alternative names");
        awaitLogged(
            wrongAuthority, "broker.unreachable", "unable to find valid certification path");
      }
    }
  }
}
