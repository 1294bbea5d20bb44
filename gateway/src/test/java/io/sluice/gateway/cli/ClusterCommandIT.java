package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.admin.AdminCluster;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sluice cluster} at real admin ports. */
@Timeout(180)
final class ClusterCommandIT {
  private static final String TOKEN = "0123456789abcdef";
  private static final Config CONFIG =
      Config.defaults()
          .with(AuthSettings.ANONYMOUS, true)
          .with(AdminSettings.PORT, 0)
          .with(AdminSettings.TOKEN, TOKEN);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;
  private AdminCluster cluster;
  private String tokenFile;

  @BeforeEach
  void start() throws Exception {
    tokenFile = Files.writeString(folder.resolve("token"), TOKEN + "\n").toString();
    cluster = new AdminCluster(CONFIG, "gw-1", "gw-2", "gw-3");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private int execute(String... arguments) {
    return Sluice.commandLine(NodeStarter::startGateway, new Termination())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private int ask(String command, String... more) {
    return askAt(cluster.url("gw-1"), command, more);
  }

  private int askAt(String admin, String command, String... more) {
    List<String> arguments = new ArrayList<>(List.of("cluster", command));
    arguments.addAll(List.of("--admin", admin, "--token-file", tokenFile));
    arguments.addAll(List.of(more));
    return execute(arguments.toArray(String[]::new));
  }

  @Test
  void shouldListTheNodes() {
    cluster.tell("gw-3", "");

    assertThat(ask("nodes")).isZero();

    assertThat(out.toString().lines().map(String::stripTrailing))
        .containsExactly(
            line("node", "state", "admin port"),
            line("gw-1", "up   ", cluster.url("gw-1")),
            line("gw-2", "up   ", cluster.url("gw-2")),
            line("gw-3", "up   ", "-"));
    assertThat(err.toString()).isEmpty();
  }

  private static String line(String node, String state, String admin) {
    return node.equals("node")
        ? "node  state  clients  messages/s   cpu     lag  version  clients' URL               "
            + admin
        : node
            + "  "
            + state
            + "    1,234      56,789  50 %  1.3 ms  0.1.0    wss://"
            + node
            + ".example.com/ws  "
            + admin;
  }

  @Test
  void shouldPrintTheNodesResponse() throws Exception {
    assertThat(ask("nodes", "--json")).isZero();

    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("cluster").asText()).isEqualTo("test");
    assertThat(json.get("nodes").findValuesAsText("name")).containsExactly("gw-1", "gw-2", "gw-3");
    assertThat(json.at("/nodes/1/load/movable").asInt()).isEqualTo(1_200);
  }

  @Test
  void shouldEscapeControlCharactersInNames() {
    cluster.tell("gw-2", "\u001b[2J");

    assertThat(ask("nodes")).isZero();

    assertThat(out.toString()).doesNotContain("\u001b").contains("?[2J");
  }

  @Test
  void shouldRequestTheNextNodeIfOneIsDown() throws Exception {
    String away;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      away = "http://127.0.0.1:" + taken.getLocalPort();
    }

    assertThat(askAt(away + "," + cluster.url("gw-2"), "nodes")).isZero();
    assertThat(err.toString()).startsWith(away + ": not reachable");
    assertThat(out.toString()).contains("gw-3");
    assertThat(askAt(away, "nodes")).isEqualTo(1);
    assertThat(err.toString()).contains("sluice cluster nodes: " + away + ": not reachable");
  }

  @Test
  void shouldDrainTheRequestedNode() {
    assertThat(ask("drain", "gw-1")).isZero();

    assertThat(out.toString()).isEqualToIgnoringNewLines("gw-1: draining, 1234 clients connected");
    assertThat(cluster.commands()).containsExactly("gw-1 drain");
  }

  @Test
  void shouldEndADrain() {
    assertThat(ask("drain", "gw-2")).isZero();

    assertThat(ask("undrain", "gw-2")).isZero();

    assertThat(out.toString().lines())
        .containsExactly(
            "gw-2: draining, 1234 clients connected", "gw-2: up, 1234 clients connected");
    assertThat(cluster.commands()).isEmpty();
  }

  @Test
  void shouldNameThePortOfANodeThatIsDown() throws Exception {
    String away;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      away = "http://127.0.0.1:" + taken.getLocalPort();
    }
    cluster.tell("gw-2", away);

    assertThat(ask("undrain", "gw-2")).isEqualTo(1);

    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "sluice cluster undrain: gw-2: " + away + ": not reachable: connection refused");
  }

  @Test
  void shouldDrainAnotherNodeByItsOwnPort() {
    assertThat(ask("drain", "gw-3", "--json")).isZero();

    assertThat(out.toString()).contains("\"node\" : \"gw-3\"", "\"state\" : \"draining\"");
    assertThat(cluster.commands()).containsExactly("gw-3 drain");
  }

  @Test
  void shouldNotDrainAnotherNodeAtAWrongPort() {
    cluster.tell("gw-3", cluster.url("gw-2"));

    assertThat(ask("drain", "gw-3")).isEqualTo(1);

    assertThat(err.toString())
        .contains("gw-3: its admin port " + cluster.url("gw-2") + " is that of node gw-2");
    assertThat(cluster.commands()).isEmpty();
  }

  @Test
  void shouldReportAnUnknownAdminPort() {
    cluster.tell("gw-3", "");

    assertThat(ask("drain", "gw-3")).isEqualTo(1);

    assertThat(err.toString()).contains("gw-3: its admin port is unknown");
  }

  @Test
  void shouldListTheNodesForAnUnknownName() {
    assertThat(ask("drain", "gw-4")).isEqualTo(1);

    assertThat(err.toString()).contains("unknown node \"gw-4\"; the nodes are gw-1, gw-2, gw-3");
  }

  @Test
  void shouldRebalanceAllNodesThatAreUp() {
    assertThat(ask("drain", "gw-2")).isZero();

    assertThat(ask("rebalance")).isZero();

    assertThat(cluster.commands())
        .containsExactly("gw-1 rebalance", "gw-2 drain", "gw-3 rebalance");
    assertThat(out.toString())
        .contains("gw-1: redirects 12 of 1234 clients", "gw-3: nothing to move, 1234 clients");
  }

  @Test
  void shouldFailIfANodeDidNotRebalance() {
    cluster.tell("gw-2", "");

    assertThat(ask("rebalance")).isEqualTo(1);

    assertThat(err.toString())
        .contains("gw-2: its admin port is unknown", "1 of 3 nodes failed; the others succeeded");
    assertThat(cluster.commands()).containsExactly("gw-1 rebalance", "gw-3 rebalance");
  }

  @Test
  void shouldReportTheErrorOfAStandaloneNode() {
    try (TestNode alone = TestNode.start(TestNode.config("artemis", "tcp://127.0.0.1:1"))) {
      String admin = "http://127.0.0.1:" + alone.gateway().adminPort();

      assertThat(askAt(admin, "nodes")).isZero();
      assertThat(out.toString()).contains("test-node  joining");
      assertThat(askAt(admin, "rebalance")).isEqualTo(1);
      assertThat(err.toString()).contains("no node is up");
    }
  }

  @Tag("full")
  @Test
  void shouldNotSendTheTokenWithoutTlsAfterAListByTls() throws Exception {
    TestAuthority authority = TestAuthority.create(folder, "authority");
    Issued issued = authority.issue("node", "CN=node", "SAN=dns:localhost");
    Config secure =
        CONFIG
            .with(AdminSettings.TLS_CERTIFICATE, issued.certificate().toString())
            .with(AdminSettings.TLS_KEY, issued.key().toString());
    try (AdminCluster other = new AdminCluster(secure, "gw-8", "gw-9")) {
      String ca = authority.certificate().toString();
      String asked = other.url("gw-8").replace("http://127.0.0.1", "https://localhost");

      assertThat(askAt(asked, "drain", "gw-9", "--ca", ca)).isEqualTo(1);
      assertThat(err.toString()).contains("its admin port " + other.url("gw-9") + " has no TLS");
      other.tell("gw-9", other.url("gw-9").replace("http://127.0.0.1", "https://localhost"));
      assertThat(askAt(asked, "drain", "gw-9", "--ca", ca)).isZero();
      assertThat(other.commands()).containsExactly("gw-9 drain");
    }
  }

  @Test
  void shouldReportTheErrorForAMissingToken() {
    assertThat(execute("cluster", "nodes", "--admin", cluster.url("gw-1"))).isEqualTo(1);

    assertThat(err.toString()).contains(cluster.url("gw-1") + ": 401 ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cluster | sluice cluster: a command is missing",
        "cluster nods | did you mean nodes?",
        "cluster nodes | missing required option: '--admin=URL'",
        "cluster nodes --admin h:1 | --admin h:1 is not a URL",
        "cluster drain --admin http://h:1 | missing required parameter: 'NODE'",
      })
  void shouldExitWithTwoOnWrongUse(String arguments, String message) {
    assertThat(execute(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }
}
