package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.cli.command.BrokerChild;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.http.Pages;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final AtomicReference<Config> started = new AtomicReference<>();

  @TempDir private Path folder;

  @Test
  void shouldPrintVersionAndHelp() {
    assertThat(execute("--version")).isZero();
    assertThat(out.toString())
        .startsWith("sluice ")
        .contains("Java " + Runtime.version().feature());
    assertThat(execute("--help")).isZero();
    assertThat(out.toString())
        .contains(
            "run",
            "check-config",
            "demo",
            "feed",
            "doctor",
            "probe",
            "revoke",
            "cluster",
            "broker",
            "docs");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "check-config",
        "demo",
        "feed",
        "doctor",
        "probe",
        "revoke",
        "cluster",
        "broker",
        "docs"
      })
  void shouldHaveHelpForEveryCommand(String command) {
    assertThat(execute(command, "--help")).isZero();
    assertThat(out.toString()).contains("Usage: sluice " + command);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | sluice: a command is missing",
        "rum | sluice: unknown command \"rum\"; did you mean run?",
        "help | sluice: unknown command \"help\"; did you mean --help?",
        "nonsense | sluice: unknown command \"nonsense\"; expected one of run, check-config, provider-check, demo,"
            + " feed, doctor, probe, revoke, durables, cluster, broker, aot-cache, docs, topics,"
            + " topic, clients, client, why, overview, audit, config, disconnect, redirect, trace,"
            + " tail, reload, log-level",
        "run --brokr x | sluice run: unknown option \"--brokr\"; did you mean --broker?",
        "run --brokr=x | sluice run: unknown option \"--brokr\"; did you mean --broker?",
        "broker --nonsense | sluice broker: unknown option \"--nonsense\"; expected one of --data,"
            + " --help, --port, --start-timeout, --verbose, --version, -V, -h",
        "run file.yaml | sluice run: unexpected argument \"file.yaml\"; expected options only",
        "check-config a b | sluice check-config: unexpected argument \"b\"; expected FILE only",
        "run --prot 1 | sluice run: unknown option \"--prot\"; did you mean --port?",
        "feed --broker broker | sluice feed: \"broker\" is not a broker URL; expected a URL such as"
            + " tcp://broker.example.com:61616",
        "feed --broker tcp://h:1 --prefix stocks.*. | sluice feed: level 2 of \"stocks.*.0\" has"
            + " the character '*', which is not allowed there",
        "check-config | sluice check-config: missing required parameter: 'FILE'",
        "feed | sluice feed: missing required option: '--broker=URL'",
        "feed --broker tcp://h:1 --bytes 39 | sluice feed: payload size of 39 bytes is below the"
            + " minimum of 40",
        "feed --broker tcp://h:1 --market --topics 101 | sluice feed: --topics 101 exceeds the 100"
            + " stocks of --market",
        "feed --broker tcp://h:1 --connect-timeout 0 | sluice feed: --connect-timeout 0 is too"
            + " short; expected 1 or more",
        "feed --broker tcp://h:1 --topics 0 | sluice feed: number of topics 0 is below 1",
        "feed --broker tcp://h:1 --rate x | sluice feed: invalid value for option '--rate': 'x' is"
            + " not a double",
        "topics --admin http://h:1 --sort size | sluice topics: --sort size is none of rate, bytes,"
            + " subscribers, log, log-age, gaps",
        "topics --admin http://h:1 --kind queue | sluice topics: --kind queue is none of topic,"
            + " pattern, all",
        "topics --admin http://h:1 --limit 0 | sluice topics: --limit 0 is not a number from 1 to"
            + " 1000",
        "clients --admin http://h:1 --sort name | sluice clients: --sort name is none of since,"
            + " pending, rtt, gaps, subscriptions",
        "clients --admin http://h:1 --limit 1001 | sluice clients: --limit 1001 is not a number from"
            + " 1 to 1000",
        "audit --admin http://h:1 --kind x | sluice audit: --kind x is none of connected, refreshed,"
            + " disconnected, subscribed, consuming, deleted, published, refused, revoked, restored,"
            + " commanded, admin-refused",
        "revoke s-1 --session s-2 --admin http://h:1 | sluice revoke: error: --session=ID, SESSION"
            + " are mutually exclusive (specify only one)",
        "broker --port 65536 | sluice broker: --port 65536 is not a port; expected 0 to 65535",
      })
  void shouldExitWithTwoOnWrongUse(String line, String message) {
    assertThat(execute(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);
    assertThat(err.toString().lines().findFirst()).hasValue(message);
    assertThat(err.toString()).contains("--help'.");
  }

  @Test
  void shouldOmitTheBrokerFromTheHelpOfAnArchive() {
    CommandLine commands = Sluice.commandLine(NodeStarter::startGateway, new Termination());
    assertThat(commands.getUsageMessage()).contains("\n  broker ", "'sluice demo'");
    Sluice.omitMissing(commands, false);
    assertThat(commands.getUsageMessage())
        .doesNotContain("\n  broker ", "a broker, a market feed")
        .contains("Show live prices from Kafka or NATS (--source)", "'sluice demo --source nats'");
  }

  @Test
  void shouldReportAMissingBroker() {
    assertThat(execute("run", "--anonymous")).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "sluice run: the configuration has 1 problem",
            "  no source of messages is configured; set --broker URL, broker.url, kafka.servers,"
                + " nats.servers or nodes.roots");
  }

  @ParameterizedTest
  @CsvSource({
    "'nats:\n\t- x', is not YAML",
    "'a: 1\n b: 2', is not YAML",
    "'auth.anonymous: true\nkafka.server: [k:1]', kafka.server: unknown key",
    "'auth.anonymous: true\nkafka: {servers: [''k:1''], topics: [a], properties: {sasl.mechansim:"
        + " PLAIN}}', did you mean sasl.mechanism?",
    "'auth.anonymous: true\nkafka: {servers: [''k:1''], topics: [a], properties:"
        + " {auto.register.schemas: true}}', the node registers no schemas",
    "'auth.anonymous: true\nbroker: {url: ''tcp://b:1'', user: a, password: ''${SLUICE_ABSENT}''}',"
        + " 'broker.password: uses the environment variable SLUICE_ABSENT, which is not set'"
  })
  void shouldReportNothingThatFollowsFromAnotherProblem(String text, String problem)
      throws IOException {
    Path file = Files.writeString(folder.resolve("c.yaml"), text);
    assertThat(execute("run", "--config", file.toString())).isEqualTo(1);
    assertThat(err.toString().lines()).hasSize(2).last().asString().contains(file + ":2:", problem);
  }

  @Test
  void shouldListEveryProblemOfARun() throws IOException {
    Path file =
        Files.writeString(folder.resolve("c.yaml"), "server.prot: 1\nlimits.per-node.topics: 0\n");
    assertThat(execute("run", "--config", file.toString(), "--port", "x")).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "sluice run: the configuration has 5 problems",
            "  --port: server.port: \"x\" is not a whole number; expected a whole number from 0 to"
                + " 65535",
            "  defaults: auth.anonymous: is false and no other mechanism is configured, so no client"
                + " could connect; 'sluice run --anonymous' admits clients without a credential",
            "  " + file + ":1:1: server.prot: unknown key; did you mean server.port?",
            "  "
                + file
                + ":2:25: limits.per-node.topics: \"0\" is too small; expected a whole number from"
                + " 1 to 10000000",
            "  no source of messages is configured; set --broker URL, broker.url, kafka.servers,"
                + " nats.servers or nodes.roots");
  }

  @Test
  void shouldPutOptionsBeforeTheFileAndStart() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"), "broker.url: tcp://a:1\nserver.port: 1\nadmin.port: 0\n");
    execute(
        "run", "--config", file.toString(), "--port", "0", "--broker", "tcp://b:2", "--anonymous");
    Config config = started.get();
    assertThat(config.get(BrokerSettings.URL)).isEqualTo("tcp://b:2");
    assertThat(config.get(ServerSettings.PORT)).isZero();
    assertThat(config.get(AdminSettings.PORT)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nodes.roots: ['ws://127.0.0.1:1']", "nodes.accept: true"})
  void shouldStartANodeWhoseSourceIsAnotherOne(String source) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            source + "\nlinks.port: 0\nlinks.subscribe: [a]\nserver.port: 0\nadmin.port: 0\n");
    execute("run", "--anonymous", "--config", file.toString());
    assertThat(started.get().get(LinkSettings.PORT)).isZero();
  }

  @Test
  void shouldReportThePortInUseAndItsSource() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertThat(execute("demo", "--port", port)).isEqualTo(1);
      assertThat(err.toString())
          .startsWith("sluice demo: port " + port + " can't be used (127.0.0.1:" + port)
          .endsWith("choose another with --port" + System.lineSeparator());
      Path file =
          Files.writeString(
              folder.resolve("c.yaml"),
              "broker.url: tcp://a:1\nadmin.port: " + port + "\nserver.port: 0");
      assertThat(execute("run", "--anonymous", "--config", file.toString())).isEqualTo(1);
      assertThat(err.toString()).contains("--admin-port or admin.port (" + file + ":2:13)");
    }
    assertThat(started.get()).isNull();
  }

  @Test
  void shouldReportAForeignAddressAndItsSource() throws IOException {
    assertThat(execute("demo", "--host", "256.1.1.1", "--port", "0")).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly("sluice demo: \"256.1.1.1\" cannot be resolved; change --host");
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            "broker.url: tcp://a:1\nadmin: {host: 192.0.2.1, port: 0," + " metrics-open: true}");
    assertThat(execute("run", "--anonymous", "--config", file.toString(), "--port", "0"))
        .isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "sluice run: 192.0.2.1 is not an address of this machine; change admin.host ("
                + file
                + ":2:15)");
  }

  @Test
  void shouldReportAFailureInOneLineByDefault() {
    String line = "run --anonymous --broker tcp://b:2 --port 0 --admin-port 0";
    execute(line.split(" "));
    assertThat(err.toString().lines()).containsExactly("sluice run: no start");
    execute((line + " --verbose").split(" "));
    assertThat(err.toString()).contains("at io.sluice");
  }

  @Test
  void shouldReportAMissingEmbeddedBroker() {
    assertThat(System.getProperty(BrokerChild.FOLDER)).isNull();
    assertThat(execute("broker", "--port", "0")).isEqualTo(1);
    assertThat(err.toString()).startsWith("sluice broker: the embedded broker is not installed");
  }

  @Test
  void shouldNameTheCommandThatBuildsMissingDocumentation() {
    assertThat(System.getProperty(DocsCommand.FOLDER)).isNull();
    assertThat(execute("docs", "--port", "0")).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("sluice docs: no documentation in ")
        .contains("; build it with: mvn -pl docs -am package -DskipTests");
  }

  @Test
  void shouldReportThatAFileIsValid() throws IOException {
    String local = "server.host: localhost\n";
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            local + "broker.url: tcp://a:1\nauth.jwt.issuer: https://issuer.example.com\n");
    assertThat(execute("check-config", file.toString())).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "warning: subscribe.topics: all authenticated clients may subscribe to >",
            file + " is valid");
    Files.writeString(file, local);
    assertThat(execute("check-config", file.toString(), "--broker", "tcp://a:1", "--anonymous"))
        .isZero();
    assertThat(out.toString().lines()).last().isEqualTo(file + " is valid");
  }

  @Test
  void shouldWarnAboutExposures() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            "{broker.url: 'tcp://a:1', auth.anonymous: true, server.allowed-origins: ['*'],"
                + " publish.topics: [chat.*]}");
    assertThat(execute("check-config", file.toString())).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "warning: server.allowed-origins: web pages of any origin may connect",
            "warning: auth.anonymous: clients without a credential may connect and subscribe to >",
            "warning: publish.topics: clients without a credential may publish to chat.*",
            file + " is valid");
  }

  @Test
  void shouldWarnAboutShortHistories() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            "{broker.url: 'tcp://a:1', auth.anonymous: true, history.messages: 1000}");
    assertThat(execute("check-config", "--rate", "40", file.toString())).isZero();
    assertThat(out.toString()).contains("warning: history.messages: 1000 messages cover 25 s");
  }

  @Test
  void shouldReadTheFilesThatAStartWouldRead() throws IOException {
    Path text = Files.writeString(folder.resolve("text"), "nothing of the kind\n");
    Path missing = folder.resolve("missing");
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            """
            broker.url: tcp://a:1
            auth:
              jwt.keys: ["%1$s", "%2$s"]
              trust: "%1$s"
            audit.file: "%1$s/audit.log"
            journal.folder: "%1$s/journal"
            """
                .formatted(text, missing));
    assertThat(execute("check-config", file.toString())).isEqualTo(1);
    assertThat(out.toString().lines())
        .containsExactly(
            file + ":3:13: auth.jwt.keys: " + missing + " cannot be read: there is no such file",
            file
                + ":3:13: auth.jwt.keys: "
                + text
                + " contains no public key: neither PEM (-----BEGIN PUBLIC KEY-----) nor JWKS",
            file
                + ":4:10: auth.trust: "
                + text
                + " holds no PEM certificate (-----BEGIN CERTIFICATE-----), or one that is"
                + " malformed: No certificate data found",
            file + ":5:13: audit.file: " + text + " is not a folder",
            file + ":6:17: journal.folder: " + text + " is not a folder",
            file + " has 5 problems");
    assertThat(missing).doesNotExist();
  }

  @Test
  void shouldWriteNothingToCheckAFile() throws IOException {
    Path state = Files.createDirectory(folder.resolve("state"));
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            "broker.url: tcp://a:1\nauth.anonymous: true\naudit.file: %1$s/audit.log\njournal.folder: %1$s/a/journal\n"
                .formatted(state));
    assertThat(execute("check-config", file.toString())).isZero();
    assertThat(state).isEmptyDirectory();
  }

  @Test
  void shouldListTheProblemsOfAFile() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"), "server:\n  prot: 8080\n  host: ${SLUICE_NO_SUCH}\n");
    assertThat(execute("check-config", file.toString(), "--broker", "tcp://a:1", "--anonymous"))
        .isEqualTo(1);
    assertThat(out.toString().lines())
        .containsExactly(
            file + ":2:3: server.prot: unknown key; did you mean server.port?",
            file
                + ":3:9: server.host: uses the environment variable SLUICE_NO_SUCH, which is not"
                + " set; expected a text of at most 4096 characters",
            file + " has 2 problems");
  }

  @Test
  void shouldReportAJndiClassThatDoesNotExist() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("c.yaml"),
            """
            broker:
              provider: jndi
              properties:
                java.naming.provider.url: tcp://a:1
                java.naming.factory.initial: no.such.Factory
            """);
    assertThat(execute("check-config", file.toString(), "--anonymous")).isEqualTo(1);
    assertThat(out.toString())
        .startsWith(
            file
                + ":5:34: broker.properties: java.naming.factory.initial is \"no.such.Factory\", a"
                + " class that is not on the class path; broker.jars is empty; expected a class"
                + " that implements javax.naming.spi.InitialContextFactory");
  }

  private int execute(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = Sluice.commandLine(this::start, new Termination());
    return line.setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private Gateway start(Config config, Pages pages) {
    started.set(config);
    throw new CommandFailure("no start");
  }
}
