package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sluice revoke} at real nodes. */
@Timeout(180)
final class RevokeCommandIT {
  private static final String TOKEN = "0123456789abcdef";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private int execute(String... arguments) {
    return Sluice.commandLine(NodeStarter::startGateway, new Termination())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private static TestNode node() {
    Config config = TestNode.config("artemis", "tcp://127.0.0.1:1");
    return TestNode.start(config, AdminSettings.TOKEN, TOKEN);
  }

  private static String url(TestNode node) {
    return "http://127.0.0.1:" + node.gateway().adminPort();
  }

  private String tokenFile() throws IOException {
    return Files.writeString(folder.resolve("token"), TOKEN + "\n").toString();
  }

  @Test
  void shouldRevokeAtEachNode() throws IOException {
    try (TestNode first = node();
        TestNode second = node();
        RawWebSocket client = first.json()) {
      client.text("{\"type\":\"connect\"}");
      String session = client.await("hello").get("session").asText();
      String nodes = url(first) + "," + url(second);

      int code =
          execute("revoke", "--admin", nodes, "--token-file", tokenFile(), "--session", session);

      assertThat(err.toString()).isEmpty();
      assertThat(code).isZero();
      assertThat(out.toString().lines())
          .contains(url(first) + ": closed 1")
          .anyMatch(line -> line.startsWith(url(second) + ": closed "));
      assertThat(client.awaitClose()).isEqualTo(4204);
    }
  }

  @Test
  void shouldEndASessionThatIsAnArgument() throws IOException {
    try (TestNode node = node();
        RawWebSocket client = node.json()) {
      client.text("{\"type\":\"connect\"}");
      String session = client.await("hello").get("session").asText();

      int code = execute("revoke", session, "--admin", url(node), "--token-file", tokenFile());

      assertThat(err.toString()).isEmpty();
      assertThat(code).isZero();
      assertThat(out.toString()).isEqualToIgnoringNewLines(url(node) + ": closed 1");
      assertThat(client.awaitClose()).isEqualTo(4204);
    }
  }

  @Test
  void shouldContinueWithOtherNodesAndFailIfOneIsDown() throws IOException {
    int free;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = taken.getLocalPort();
    }
    try (TestNode node = node()) {
      String nodes = "http://127.0.0.1:" + free + "," + url(node);

      int code =
          execute("revoke", "--admin", nodes, "--token-file", tokenFile(), "--subject", "ann");

      assertThat(code).isEqualTo(1);
      assertThat(out.toString()).isEqualToIgnoringNewLines(url(node) + ": closed 0");
      assertThat(err.toString())
          .startsWith("http://127.0.0.1:" + free + ": ")
          .contains("sluice revoke: 1 of 2 nodes failed; the others succeeded");
    }
  }

  @Test
  void shouldReportTheErrorForAMissingToken() {
    try (TestNode node = node()) {
      assertThat(execute("revoke", "--admin", url(node), "--token-id", "t-1")).isEqualTo(1);
      assertThat(err.toString()).startsWith(url(node) + ": 401 ");
    }
  }

  @Tag("full")
  @Test
  void shouldTrustTheGivenAuthorities() {
    TestAuthority authority = TestAuthority.create(folder, "authority");
    Issued issued = authority.issue("node", "CN=node", "SAN=dns:localhost");
    Config config =
        TestNode.config("artemis", "tcp://127.0.0.1:1")
            .with(AdminSettings.TLS_CERTIFICATE, issued.certificate().toString())
            .with(AdminSettings.TLS_KEY, issued.key().toString());
    try (TestNode node = TestNode.start(config)) {
      String port = ":" + node.gateway().adminPort();
      String[] arguments = {"revoke", "--admin", "https://localhost" + port, "--certificate", "0A"};
      String ca = authority.certificate().toString();

      assertThat(execute(arguments)).isEqualTo(1);
      assertThat(err.toString())
          .contains("not issued by an authority that the JDK trusts; use --ca FILE");
      assertThat(execute(with(arguments, "--ca", ca))).isZero();
      assertThat(out.toString())
          .isEqualToIgnoringNewLines("https://localhost" + port + ": closed 0");
      arguments[2] = "https://127.0.0.1" + port;
      assertThat(execute(with(arguments, "--ca", ca))).isEqualTo(1);
      assertThat(err.toString()).contains("TLS failed: ").contains("127.0.0.1 found");
      String other = TestAuthority.create(folder, "other").certificate().toString();
      arguments[2] = "https://localhost" + port;
      assertThat(execute(with(arguments, "--ca", other))).isEqualTo(1);
      assertThat(err.toString()).contains("not issued by an authority in --ca " + other);
    }
  }

  private static String[] with(String[] arguments, String... more) {
    return Stream.of(arguments, more).flatMap(Stream::of).toArray(String[]::new);
  }

  @Test
  void shouldReportProblemsOfTheAuthoritiesFile() throws IOException {
    String[] arguments = {"revoke", "--admin", "https://h:1", "--subject", "ann"};
    String empty = Files.writeString(folder.resolve("empty.pem"), "").toString();
    String wrong = Files.writeString(folder.resolve("wrong.pem"), "nonsense\n").toString();

    for (String file : List.of(empty, wrong)) {
      assertThat(execute(with(arguments, "--ca", file))).isEqualTo(1);
      assertThat(err.toString()).contains("--ca " + file + " contains no PEM certificate");
    }
    assertThat(execute(with(arguments, "--ca", folder + "/none"))).isEqualTo(1);
    assertThat(err.toString()).contains("--ca " + folder + "/none cannot be read: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--admin http://h:1 | Missing required argument",
        "--admin http://h:1 --subject a --token-id b | mutually exclusive",
        "--admin h:1 --subject a | --admin h:1 is not a URL",
        "--admin http://h:1 --subject a --expires 2030-01-31T12:00:00Z | with --token-id and"
            + " --certificate only",
        "--admin http://h:1 --token-id a --expires soon | --expires soon is not a time",
      })
  void shouldExitWithTwoOnWrongUse(String arguments, String message) {
    assertThat(execute(("revoke " + arguments).split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }
}
