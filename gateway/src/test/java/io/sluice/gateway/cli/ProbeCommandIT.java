package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sluice probe} at real nodes. */
@Timeout(180)
final class ProbeCommandIT {
  @TempDir private static Path folder;

  private static TestBroker broker;
  private static TestNode node;
  private static TestCertificate certificate;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws Exception {
    certificate = TestCertificate.create(folder, "ec", "EC");
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config(broker.provider(), broker.url())
                .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
                .with(ServerSettings.TLS_KEY, certificate.key().toString())
                .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("open.>")));
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    node.close();
    broker.close();
  }

  private int execute(String url, String topic, String... more) {
    List<String> arguments = new ArrayList<>(List.of("probe", "--url", url, "--topic", topic));
    arguments.addAll(List.of(more));
    return Sluice.commandLine(NodeStarter::startGateway, new Termination())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  private static String url() {
    return "wss://127.0.0.1:" + node.gateway().port() + "/ws";
  }

  private static String[] patiently(String... more) {
    List<String> options = new ArrayList<>(List.of(more));
    options.addAll(List.of("--timeout", "60", "--ca", certificate.certificate().toString()));
    return options.toArray(String[]::new);
  }

  @Test
  void shouldReportTheSubscriptionAndItsNode() {
    assertThat(execute(url(), "open.1", patiently())).as(err.toString()).isZero();
    assertThat(out.toString().strip()).isEqualTo("test-node: subscribed to open.1");
  }

  @Test
  void shouldFailWithTheAnswerOfTheNode() {
    assertThat(execute(url(), "closed.1", patiently())).isEqualTo(1);
    assertThat(err.toString()).contains(url() + ": the node sent error forbidden: ");
  }

  @Test
  void shouldSendTheTokenAndFailIfItIsRejected() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "no-such-token\n");

    int code = execute(url(), "open.1", patiently("--token-file", token.toString()));

    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains("unauthorized");
  }

  @Test
  void shouldFailWithTheStatusOfARejectedHandshake() {
    assertThat(execute(url().replace("/ws", "/other"), "open.1", patiently())).isEqualTo(1);
    assertThat(err.toString()).contains("refused with status 404; expected the endpoint of a node");
  }

  @Test
  void shouldNotTrustACertificateOfAnUnknownAuthority() {
    assertThat(execute(url(), "open.1", "--timeout", "60")).isEqualTo(1);
    assertThat(err.toString()).contains("cannot connect: ");
  }

  @Test
  void shouldFailIfTheConnectionIsRefused() throws IOException {
    int free;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = taken.getLocalPort();
    }
    assertThat(execute("ws://127.0.0.1:" + free + "/ws", "open.1", "--timeout", "60")).isEqualTo(1);
    assertThat(err.toString()).contains("connection refused; expected a node that listens there");
  }

  /** Simulates a gateway that hangs by a listener that never accepts. */
  @Test
  void shouldReportItsProgressAfterATimeout() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "ws://127.0.0.1:" + silent.getLocalPort() + "/ws";
      assertThat(execute(url, "open.1", "--timeout", "1")).isEqualTo(1);
      assertThat(err.toString()).contains("no frame hello received within 1 s (--timeout)");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://h/ws | 10 | is not the URL of a gateway",
        "ws:h | 10 | is not the URL of a gateway",
        "ws://h/ws | 0 | --timeout 0 is too short",
      })
  void shouldExitWithTwoOnWrongUse(String url, String timeout, String message) {
    assertThat(execute(url, "open.1", "--timeout", timeout)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }
}
