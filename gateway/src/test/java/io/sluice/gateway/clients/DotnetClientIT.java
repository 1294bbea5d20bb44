package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Package for .NET, Sluice.Client, compiled and run with Mono; skipped without Mono. */
final class DotnetClientIT extends ExampleClientScenes {
  private static final Path FOLDER = Path.of("..", "clients", "dotnet");
  private static final String REQUIREMENT =
      "mcs, mono, its class library or Newtonsoft.Json is missing; on Debian install"
          + " mono-mcs, libmono-cil-dev and libnewtonsoft-json5.0-cil";

  /** Program that needs the same assemblies as the client. */
  private static final String PROBE =
      """
      class Probe {
        static void Main() {
          new System.Net.WebSockets.ClientWebSocket().Dispose();
          new System.Net.Http.HttpClient().Dispose();
          new Newtonsoft.Json.Linq.JObject();
        }
      }
      """;

  private static final String RUN_PROBE =
      """
      json=${NEWTONSOFT_JSON:-/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll}
      cp "$json" "$1" && mcs -nologo -r:System.Net.Http -r:"$json" "$1/Probe.cs" &&
      mono "$1/Probe.exe"
      """;

  /** Limit of a compilation and of the client's own tests. */
  private static final long TIMEOUT_S = 240;

  @TempDir private static Path build;

  @BeforeAll
  static void compile() throws Exception {
    assumeTrue(isInstalled(), REQUIREMENT);
    Process compiler = process("sh", "mono-build.sh", build.toAbsolutePath().toString()).start();
    assertThat(ClientProcess.exitCode(compiler, TIMEOUT_S)).isZero();
  }

  private static boolean isInstalled() throws Exception {
    Path folder = Files.createDirectory(build.resolve("probe")).toAbsolutePath();
    Files.writeString(folder.resolve("Probe.cs"), PROBE);
    try {
      ProcessBuilder builder = process("sh", "-c", RUN_PROBE, "sh", folder.toString());
      return ClientProcess.exitCode(
              builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start(), TIMEOUT_S)
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static ProcessBuilder process(String... command) {
    return new ProcessBuilder(command)
        .directory(FOLDER.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  private static ClientProcess run(String program, String... arguments) throws IOException {
    ProcessBuilder builder = process("mono", build.resolve(program).toAbsolutePath().toString());
    builder.command().addAll(List.of(arguments));
    return new ClientProcess(builder.start());
  }

  @Override
  ExampleClient start(String url, String topic) throws IOException {
    return run("Show.exe", url, topic);
  }

  @Test
  void shouldPassItsOwnTests() throws Exception {
    try (ClientProcess tests =
        run("Sluice.Client.Tests.exe", "../../docs/protocol/continuity.json")) {
      assertThat(tests.exitCode(TIMEOUT_S)).as("%s", tests.entries()).isZero();
    }
  }

  @Test
  void shouldPassItsTestsWithANode() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.PUBLISH_TOPICS, List.of("chat.>", "orders.>"))
                    .with(TopicSettings.TOPICS_DURABLE, List.of("orders.>"))
                    .with(TopicSettings.QUEUES_CONSUME, List.of("orders", "fills"))
                    .with(TopicSettings.QUEUES_SEND, List.of("orders", "fills")))) {
      node.awaitReady();
      try (ClientProcess tests = run("Sluice.Client.Tests.exe", "--node", url(node))) {
        assertThat(tests.exitCode(TIMEOUT_S)).as("%s", tests.entries()).isZero();
      }
    }
  }

  @Test
  void shouldAcknowledgeMessagesOfAQueueAndReceiveUnsettledOnesAgain() throws Exception {
    QueueScenes.consume(arguments -> run("Consume.exe", arguments));
  }

  @Test
  void shouldSendRequests() throws Exception {
    QueueScenes.request(arguments -> run("Request.exe", arguments));
  }
}
