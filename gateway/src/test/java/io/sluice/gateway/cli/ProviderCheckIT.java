package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.gateway.TestProgram;
import io.sluice.gateway.broker.plugged.AmqpBroker;
import io.sluice.gateway.broker.plugged.LimitedFactory;
import io.sluice.gateway.broker.provider.Capability;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.testkit.BrokerJ;
import io.sluice.testkit.CommandResult;
import io.sluice.testkit.JavaHomes;
import io.sluice.testkit.OpenMqServer;
import io.sluice.testkit.RabbitServer;
import io.sluice.testkit.TestBroker;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command provider-check with real brokers, and a node's use of its report. */
@Timeout(180)
public final class ProviderCheckIT {
  @TempDir private Path folder;

  private Path file(String settings) throws Exception {
    return Files.writeString(
        folder.resolve("sluice.yaml"),
        settings + "auth.anonymous: true\nbroker.canary.timeout: 3s\n");
  }

  private CommandRun check(Path config) {
    return CommandRun.of(arguments(config));
  }

  private List<String> arguments(Path config) {
    return List.of(
        "provider-check",
        "--config",
        config.toString(),
        "--report",
        folder.resolve("report.json").toString());
  }

  /** The file names the report before it exists. */
  @Test
  void shouldWriteAReportThatANodeUses() throws Exception {
    try (AmqpBroker amqp = new AmqpBroker()) {
      Map<String, String> properties = amqp.config().get(BrokerSettings.PROPERTIES);
      StringBuilder settings = new StringBuilder("broker:\n  provider: jndi\n");
      settings.append("  jars: amqp-client/target/amqp\n  wildcards: {rest: \"#\"}\n");
      settings.append("  report: ").append(folder.resolve("report.json")).append('\n');
      settings.append("  properties:\n");
      properties.forEach(
          (name, value) -> settings.append("    %s: \"%s\"%n".formatted(name, value)));
      Path config = file(settings.toString());
      assertThat(CommandRun.of(List.of("check-config", config.toString())).code()).isEqualTo(1);

      CommandRun run = check(config);

      assertThat(run.code()).as(run.out() + run.err()).isZero();
      assertThat(run.lines()).filteredOn(line -> line.matches("[a-z-]+ +works .*")).hasSize(25);
      assertThat(run.lines())
          .filteredOn(line -> line.matches("(reconnect|half-open) .* published after .* s"))
          .hasSize(2);
      assertThat(run.lines())
          .anyMatch(line -> line.matches("credentials +unchecked +broker.user is not set"));
      CommandRun checked = CommandRun.of(List.of("check-config", config.toString()));
      assertThat(checked.code()).as(checked.out()).isZero();
      Provider provider =
          ProviderOptions.of(ConfigFile.read(config, System::getenv).config()).newProvider();
      assertThat(Capability.values()).allMatch(provider::supports);
    }
  }

  private static Map<String, String> results(CommandRun run) {
    return run.lines().stream()
        .map(line -> line.split(" +", 3))
        .filter(row -> row.length > 1)
        .collect(Collectors.toMap(row -> row[0], row -> row[1]));
  }

  @Tag("full")
  @Test
  void shouldReportWhatBrokerJDoes() throws Exception {
    try (BrokerJ broker = BrokerJ.start(Files.createDirectory(folder.resolve("broker")))) {
      Path config =
          file(
              """
              broker: {provider: amqp, url: "%s", jars: amqp-client/target/amqp}
              """
                  .formatted(broker.url()));

      CommandRun run = check(config);

      Map<String, String> expected =
          Stream.of(
                  """
                  ids order bodies properties large-messages priority topic-selectors patterns
                  queues queue-release queue-reject queue-browse queue-selectors ttl shared
                  shared-patterns durable durable-patterns node-durable requests transactions
                  transacted-acks reconnect half-open
                  """
                      .split("\\s+"))
              .collect(Collectors.toMap(check -> check, check -> "works"));
      expected.putAll(Map.of("check", "result", "delay", "refused"));
      expected.putAll(
          Map.of("credentials", "unchecked", "tls", "unchecked", "restart", "unchecked"));
      assertThat(results(run)).isEqualTo(expected);
      assertThat(run.out())
          .contains("the broker did not accept the message: Not accepted by queue");
      assertThat(run.code()).isZero();
    }
  }

  @Tag("full")
  @Test
  void shouldReportFailures() throws Exception {
    try (TestBroker server = TestBroker.start("artemis")) {
      Path config =
          file(
              """
              broker:
                provider: factory
                connection-factory: %s
                properties: {provider: artemis, url: "%s"}
              """
                  .formatted(LimitedFactory.class.getName(), server.url()));
      List<String> arguments = new ArrayList<>(arguments(config));
      arguments.addAll(List.of("--restart", "exit 3"));

      CommandRun run = CommandRun.of(arguments);

      assertThat(run.code()).isEqualTo(1);
      assertThat(run.lines())
          .anyMatch(
              line ->
                  line.matches("restart +fails +the command of --restart ended with exit code 3"));

      JsonObject report = new JsonObject(Files.readString(folder.resolve("report.json")));
      assertThat(report.getJsonArray("capabilities")).doesNotContain("delay", "queue-selectors");
      JsonObject selectors = report.getJsonObject("checks").getJsonObject("queue-selectors");
      assertThat(selectors.getString("result")).isEqualTo("refused");
      assertThat(selectors.getString("reason")).startsWith("unsupported: ");
      // Artemis' wildcards are configured by broker.wildcards.
      assertThat(run.lines()).anyMatch(line -> line.matches("patterns +refused +unsupported: .*"));
    }
  }

  /** Returns the result of each check that does not work. */
  private static Map<String, String> different(List<String> table) {
    assertThat(table).as("header and checks").hasSize(29);
    return table.stream()
        .skip(1)
        .map(line -> line.trim().split(" +", 3))
        .filter(row -> !List.of("works", "unchecked").contains(row[1]))
        .collect(Collectors.toMap(row -> row[0], row -> row[1] + " " + row[2]));
  }

  @Tag("full")
  @Test
  void shouldCheckRabbitMq() throws Exception {
    Optional<String> program = TestProgram.provide("rabbitmq-server");
    assumeThat(program).as("rabbitmq-server").isPresent();
    try (RabbitServer server = RabbitServer.start(program.get(), folder.toAbsolutePath())) {
      Path config =
          file(
              """
              broker:
                provider: factory
                connection-factory: com.rabbitmq.jms.admin.RMQConnectionFactory
                jars: target/providers/rabbitmq-jms
                user: guest
                password: guest
                wildcards: {rest: "#"}
                properties: {uri: "%s", declareReplyToDestination: "false"}
              """
                  .formatted(server.uri()));

      CommandRun run = check(config);

      assertThat(different(run.lines()))
          .as(run.err())
          .containsOnly(
              // Its client has a queue of a shared subscription for each connection.
              entry("shared", "fails a message arrived twice"),
              entry("shared-patterns", "fails a message arrived twice"),
              entry(
                  "queue-selectors",
                  "refused unsupported: the JMS client does not support the request:"
                      + " java.lang.UnsupportedOperationException"),
              entry(
                  "delay",
                  "refused publish-failed: the broker did not accept the message: Failed to declare"
                      + " exchange x-delayed-jms-message"));
    }
  }

  /** The client requires a later Java than the node. */
  @Tag("full")
  @Test
  void shouldCheckOpenMq() throws Exception {
    Optional<Path> java = JavaHomes.atLeast(OpenMqServer.JAVA);
    assumeThat(java).as("Java " + OpenMqServer.JAVA).isPresent();
    Path home = Path.of("target", "providers", "openmq", "mq");
    try (OpenMqServer server = OpenMqServer.start(java.get(), home, folder.toAbsolutePath())) {
      Path config =
          file(
              """
              broker:
                provider: jndi
                jars: %s
                user: guest
                password: guest
                wildcards: {rest: "**"}
                properties:
                  java.naming.factory.initial: com.sun.jndi.fscontext.RefFSContextFactory
                  java.naming.provider.url: "%s"
              """
                  .formatted(server.client(), server.objects()));
      List<String> command = new ArrayList<>(List.of(java.get().toString()));
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), Sluice.class.getName()));
      command.addAll(arguments(config));

      String output = CommandResult.of(Map.of(), command).output();

      List<String> table =
          output.lines().filter(line -> line.matches("[a-z-]+ +[a-z]+ .*")).toList();
      String refusal = "refused unsupported: this broker refuses such subscriptions to patterns";
      assertThat(different(table))
          .as(output)
          .containsOnly(entry("shared-patterns", refusal), entry("durable-patterns", refusal));
    }
  }

  @Tag("full")
  @Test
  void shouldFailWithoutABroker() throws Exception {
    Path config = file("broker.url: tcp://127.0.0.1:1\n");
    CommandRun run = check(config);
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("the broker was not reachable: ");
  }
}
