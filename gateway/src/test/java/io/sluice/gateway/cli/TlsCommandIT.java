package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS as the users of {@code bin/sluice} meet it. */
@Timeout(180)
class TlsCommandIT {
  /** A machine for which there is no native library. */
  private static final List<String> WITHOUT_OPENSSL =
      List.of(
          "env",
          "SLUICE_JAVA_OPTS=-Dio.netty.handler.ssl.noOpenSsl=true",
          SluiceProcess.LAUNCHER.toString());

  @TempDir private static Path folder;

  private static TestCertificate certificate;

  @BeforeAll
  static void create() {
    certificate = TestCertificate.create(folder, "node", "EC");
  }

  private static String file() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("node.yaml"),
            """
            server: {host: 127.0.0.1, port: 0}
            server.tls.certificate: %s
            server.tls.key: %s
            admin.port: 0
            admin.tls.certificate: %s
            admin.tls.key: %s
            broker.url: tcp://127.0.0.1:1
            """
                .formatted(
                    certificate.certificate(),
                    certificate.key(),
                    certificate.certificate(),
                    certificate.key()));
    return file.toString();
  }

  private static void assertServes(SluiceProcess run) {
    int port =
        Integer.parseInt(run.awaitLine("Sluice listens at wss://127.0.0.1:(\\d+)/ws").group(1));
    try (RawWebSocket client =
        RawWebSocket.to("127.0.0.1", port, "/ws")
            .tls(certificate.trust())
            .timeout(Duration.ofSeconds(60))
            .open()) {
      client.text("{\"type\":\"ping\",\"ref\":1}");
      client.await("pong");
    }
  }

  private static void awaitLogged(SluiceProcess run, String part) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(run.errors()).anySatisfy(line -> assertThat(line).contains(part)));
  }

  @Tag("full")
  @Test
  void shouldEncryptWithOpenssl() throws IOException {
    String file = file();
    try (SluiceProcess check = SluiceProcess.start("check-config", "--anonymous", file)) {
      assertThat(check.exitCode()).isZero();
    }
    try (SluiceProcess run = SluiceProcess.start("run", "--anonymous", "--config", file)) {
      assertServes(run);
      awaitLogged(run, "tls=\"openssl\"");
      run.sigterm();
      assertThat(run.exitCode()).isZero();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"openssl", "jdk"})
  void shouldNotRepeatItsHandshakeForAClient(String engine) throws IOException {
    List<String> launcher =
        engine.equals("jdk") ? WITHOUT_OPENSSL : List.of(SluiceProcess.LAUNCHER.toString());
    assertNotRepeated(launcher, "Sluice listens at wss://127.0.0.1:(\\d+)/ws");
  }

  /** Its engine is the JDK's in any case. */
  @Tag("full")
  @Test
  void shouldNotRepeatItsHandshakeForAnOperator() throws IOException {
    assertNotRepeated(
        List.of(SluiceProcess.LAUNCHER.toString()), "admin: https://.+:(\\d+)/health/ready");
  }

  private static void assertNotRepeated(List<String> launcher, String line) throws IOException {
    try (SluiceProcess run =
        SluiceProcess.start(launcher, "run", "--anonymous", "--config", file())) {
      int port = Integer.parseInt(run.awaitLine(line).group(1));
      try (SSLSocket socket =
          (SSLSocket) certificate.trust().getSocketFactory().createSocket("127.0.0.1", port)) {
        socket.setSoTimeout(30_000);
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        socket.startHandshake();
        socket.startHandshake(); // requests a renegotiation
        assertThatThrownBy(() -> socket.getInputStream().read())
            .isInstanceOf(IOException.class)
            .isNotInstanceOf(SocketTimeoutException.class);
      }
    }
  }

  @Tag("full")
  @Test
  void shouldFallBackToTheJdkWithAWarning() throws IOException {
    try (SluiceProcess run =
        SluiceProcess.start(WITHOUT_OPENSSL, "run", "--anonymous", "--config", file())) {
      assertServes(run);
      awaitLogged(run, "tls.fallback");
      awaitLogged(run, "tls=\"jdk\"");
    }
  }

  @Tag("full")
  @Test
  void shouldServeTheDemoByHttps() throws Exception {
    String[] demo = {
      "demo",
      "--port",
      "0",
      "--admin-port",
      "0",
      "--certificate",
      certificate.certificate().toString(),
      "--key",
      certificate.key().toString()
    };
    try (SluiceProcess run = SluiceProcess.start(demo)) {
      String page = run.awaitLine("Live prices: (https://localhost:\\d+/)").group(1);
      HttpClient client = HttpClient.newBuilder().sslContext(certificate.trust()).build();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(page)).timeout(Duration.ofSeconds(60)).build();
      assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
          .contains("<title>Sluice");
    }
  }

  @Test
  void shouldReportTheMissingOption() {
    try (SluiceProcess run = SluiceProcess.start("demo", "--key", certificate.key().toString())) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors().get(1))
          .isEqualTo("  --key: server.tls.key: needs server.tls.certificate as well");
    }
  }
}
