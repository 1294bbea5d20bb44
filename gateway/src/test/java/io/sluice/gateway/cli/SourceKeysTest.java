package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys and commands that need a JMS broker. */
final class SourceKeysTest {
  private static final String KAFKA = "kafka: {servers: ['h:9092'], topics: [a]}\n";
  private static final String NATS = "nats.servers: ['nats://h:4222']\n";
  private static final String JMS = "broker.url: tcp://h:1\n";

  @TempDir private Path folder;

  private static String source(String name) {
    return switch (name) {
      case "kafka" -> KAFKA;
      case "nats" -> NATS;
      default -> JMS;
    };
  }

  private CommandRun run(String command, String settings) throws Exception {
    Path file = folder.resolve("sluice.yaml");
    Files.writeString(file, settings + "auth.anonymous: true\n");
    return CommandRun.of(
        command.equals("check-config")
            ? List.of(command, file.toString())
            : List.of(command, "--config", file.toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"kafka", "nats"})
  void shouldReportKeysOfQueues(String name) throws Exception {
    CommandRun run = run("check-config", source(name) + "queues.send: [orders]\n");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out() + run.err()).contains("queues.send: has no effect: only JMS brokers have");
  }

  @ParameterizedTest
  @ValueSource(strings = {"kafka", "nats"})
  void shouldCheckOnlyProvidersOfJms(String name) throws Exception {
    CommandRun run = run("provider-check", source(name));
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains(name + ".servers: only a JMS broker can be checked");
  }
}
