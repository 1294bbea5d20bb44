package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.broker.TlsFront;
import io.sluice.gateway.transport.TestAuthority;
import io.sluice.gateway.transport.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes that reach their broker by TLS, as an operator sets that up. */
@Timeout(180)
final class TlsBrokerIT {
  private static final String ARTEMIS =
      "tcp://localhost:PORT?sslEnabled=true&trustStorePath=STORE&trustStorePassword=password";

  @TempDir private static Path folder;

  private static Issued right;
  private static Issued other;
  private static Issued stranger;

  @BeforeAll
  static void create() {
    TestAuthority authority = TestAuthority.create(folder, "authority");
    right = authority.issue("right", "CN=broker", "SAN=dns:localhost");
    other = authority.issue("other", "CN=broker", "SAN=dns:other.example.com");
    stranger = TestAuthority.create(folder, "others").issue("x", "CN=x", "SAN=dns:localhost");
  }

  private static SluiceProcess run(String provider, String url, TlsFront front) throws IOException {
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
                .formatted(
                    provider,
                    url.replace("PORT", String.valueOf(front.port()))
                        .replace("STORE", right.store().toString())));
    // Classic has no setting of its own for whom to trust.
    String trust =
        "-XX:TieredStopAtLevel=1 -Djavax.net.ssl.trustStorePassword=password"
            + " -Djavax.net.ssl.trustStore="
            + right.store();
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
    assertThat(run.errors()).noneSatisfy(line -> assertThat(line).contains("Password=password"));
  }

  @ParameterizedTest
  @CsvSource({
    "artemis, " + ARTEMIS,
    "classic, ssl://localhost:PORT",
    "classic, failover:(ssl://localhost:PORT)"
  })
  void shouldConnectToTheBrokerOfTheCertificateOnly(String provider, String url)
      throws IOException {
    try (TestBroker broker = TestBroker.start(provider)) {
      try (TlsFront front = TlsFront.of(broker, right);
          SluiceProcess run = run(provider, url, front)) {
        awaitLogged(run, "broker.connected");
      }
      try (TlsFront front = TlsFront.of(broker, other);
          SluiceProcess run = run(provider, url, front)) {
        awaitLogged(run, "broker.unreachable", "No subject alternative DNS name");
      }
      try (TlsFront front = TlsFront.of(broker, stranger);
          SluiceProcess run = run(provider, url, front)) {
        awaitLogged(run, "broker.unreachable", "unable to find valid certification path");
      }
    }
  }
}
