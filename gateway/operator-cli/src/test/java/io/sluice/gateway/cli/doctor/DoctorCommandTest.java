package io.sluice.gateway.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfigRules;
import io.sluice.gateway.node.NodeChecks;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests of {@code sluice doctor} with folders that describe machines, and on this machine. */
final class DoctorCommandTest {
  private static final NodeChecks CHECKS =
      new NodeChecks(
          draft -> {
            ConfigFindings findings = new ConfigFindings(draft);
            ConfigRules.check(findings);
            return findings.problems();
          },
          () -> true);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;
  private TestMachine machine;

  @BeforeEach
  void create() {
    machine = new TestMachine(folder);
  }

  private int examine(String... arguments) {
    return examine(folder, arguments);
  }

  private int examine(Path root, String... arguments) {
    return new CommandLine(new DoctorCommand(root, CHECKS))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private JsonObject finding(String check) {
    return new JsonObject(out.toString())
        .getJsonArray("findings").stream()
            .map(JsonObject.class::cast)
            .filter(finding -> finding.getString("check").equals(check))
            .findFirst()
            .orElseThrow();
  }

  @Test
  void shouldFailIfSomethingIsToChange() {
    machine.set("net.core.somaxconn", "128");

    assertThat(examine()).isEqualTo(1);

    assertThat(out.toString())
        .startsWith("This machine for 10,000 clients:")
        .contains("  net.core.somaxconn = 4096");
  }

  @Test
  void shouldCheckTheHistoryForTheRateOfARunningNode() throws IOException {
    HttpServer node = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    serve(node, "/topics", "{\"topics\":[{\"topic\":\"prices.>\",\"rate\":5000.5}]}");
    serve(
        node,
        "/overview",
        "{\"by-node\":[{\"broker-risks\":[{\"address\":\"prices\",\"setting\":\"expiry-delay\","
            + "\"value\":\"5000\",\"effect\":\"expired messages are missing\"}]}]}");
    node.start();
    try {
      examine("--json", "--admin", "http://127.0.0.1:" + node.getAddress().getPort());
    } finally {
      node.stop(0);
    }

    assertThat(finding("history.messages").getString("verdict")).isEqualTo("change");
    assertThat(finding("broker discards of prices").getString("found"))
        .isEqualTo("expiry-delay 5000");
  }

  @Test
  void shouldReportANodeWithoutItsBroker() throws IOException {
    HttpServer node = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    serve(node, "/topics", "{\"topics\":[]}");
    serve(node, "/overview", "{\"by-node\":[{\"broker\":\"not connected: refused\"}]}");
    node.start();
    String admin = "http://127.0.0.1:" + node.getAddress().getPort();
    try {
      examine("--json", "--admin", admin);
    } finally {
      node.stop(0);
    }
    assertThat(finding("broker discards").getString("found"))
        .isEqualTo("broker: not connected: refused");

    assertThat(examine("--admin", admin)).isEqualTo(1);
    assertThat(err.toString()).contains(admin + ": not reachable: connection refused");
  }

  private static void serve(HttpServer node, String path, String json) {
    byte[] answer = json.getBytes(UTF_8);
    node.createContext(
        path,
        exchange -> {
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
  }

  @Test
  void shouldEndWithOneOrZeroAsThisJavaIs() {
    boolean compact = examine("--json") == 0;

    assertThat(finding("Java").getString("verdict")).isEqualTo(compact ? "ok" : "change");
  }

  @Test
  void shouldReadTheNumberOfClientsFromTheFile() throws IOException {
    Path file =
        Files.writeString(folder.resolve("c.yaml"), "limits.per-node.connections: 250000\n");

    examine("--config", file.toString(), "--json");

    assertThat(new JsonObject(out.toString()).getInteger("clients")).isEqualTo(250_000);
  }

  @Test
  void shouldPreferTheGivenNumberOfClients() throws IOException {
    Path file = Files.writeString(folder.resolve("c.yaml"), "limits.per-node.connections: 5\n");

    assertThat(examine("--config", file.toString(), "--clients", "6", "--json")).isEqualTo(1);

    assertThat(finding("limits.per-node.connections").getString("line"))
        .isEqualTo("limits.per-node.connections: 6");
  }

  @Test
  void shouldReportProblemsOfTheFile() throws IOException {
    Path file = Files.writeString(folder.resolve("c.yaml"), "limits.per-node.connections: 0\n");

    assertThat(examine("--config", file.toString())).isEqualTo(1);

    assertThat(err.toString()).contains("the configuration has 1 problem");
  }

  @Test
  void shouldExamineTheMachineThatItRunsOn() {
    assertThat(examine(Path.of("/"), "--json")).isIn(0, 1);

    assertThat(finding("memory").getString("found")).isNotEmpty();
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--clients 0 | --clients 0 is out of bounds; expected 1 to 10000000",
        "--clients 10000001 | --clients 10000001 is out of bounds",
        "--clients many | is not an int",
      })
  void shouldExitWithTwoOnWrongUse(String arguments, String message) {
    assertThat(examine(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }
}
