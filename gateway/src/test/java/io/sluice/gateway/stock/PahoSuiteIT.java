package io.sluice.gateway.stock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.Loopback;
import io.sluice.testkit.NodeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Functional tests of Paho for Go with MQTT 3.1.1 over TCP, which its module contains. They have
 * time limits of a few seconds.
 */
@Tag("full")
@Tag("alone")
@Timeout(900)
final class PahoSuiteIT {
  private static final int CASES = 35;
  private static final String MODULE = "github.com/eclipse/paho.mqtt.golang";
  private static final Path FOLDER = Path.of("stock-clients", "fvt");
  private static final Path PROGRAM = Path.of("target", "paho-fvt").toAbsolutePath();
  private static final Pattern CASE = Pattern.compile("^func (Test\\w+)", Pattern.MULTILINE);
  private static final String QOS_2 = "publishes with QoS 2, which a node refuses";

  /** Cases with the reason why a node declines them. */
  private static final Map<String, String> DECLINED =
      Map.of(
          "Test_p2s0", QOS_2,
          "Test_p2s1", QOS_2,
          "Test_p2s2", QOS_2,
          "Test_cleanUpMids", QOS_2,
          "Test_Ack_After_Disconnect", QOS_2,
          "Test_OverLengthTopic", "a topic of 65,535 bytes exceeds the limit of names",
          "Test_ResumeSubsMaxInflight", "exceeds the rate of publishes",
          "Test_DisconnectWhileProcessingIncomingPublish", "exceeds the rate of publishes");

  @TempDir private Path folder;

  @Test
  void shouldPassTheTestsOfPahoForGo() throws Exception {
    assumeTrue(runsGo(), "there is no go on the PATH; install Go 1.24 or later");
    String host = Loopback.address(); // the port of the tests is always 1883
    try (ArtemisProcess broker = ArtemisProcess.start();
        NodeProcess node =
            NodeProcess.start(
                List.of(),
                host,
                new NodeProcess.Ports(0, 0),
                folder,
                """
                broker.url: "%s"
                server.protocols: ["mqtt:1883"]
                """
                    .formatted(broker.url()))) {
      node.awaitReady();
      assertThat(go("test", "-c", "-o", PROGRAM.toString(), MODULE).start().waitFor()).isZero();
      Suite suite = new Suite();
      for (String name : cases()) {
        run(suite, host, name);
      }
      suite.assertPassed(CASES - DECLINED.size(), DECLINED);
    }
  }

  private static boolean runsGo() throws InterruptedException {
    try {
      return go("mod", "download").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the cases that need a server, which are in one file. */
  private static List<String> cases() throws IOException {
    Process list = go("list", "-m", "-f", "{{.Dir}}", MODULE).start();
    Path sources = Path.of(new String(list.getInputStream().readAllBytes(), UTF_8).strip());
    return CASE.matcher(Files.readString(sources.resolve("fvt_client_test.go")))
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  private static ProcessBuilder go(String... arguments) {
    List<String> command = new ArrayList<>(List.of("go"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(FOLDER.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("GOFLAGS", "-mod=mod");
    return builder;
  }

  /** Runs a case alone: some wait without a limit. */
  private static void run(Suite suite, String host, String name) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            PROGRAM.toString(), "-test.run", "^" + name + "$", "-test.timeout", "120s");
    builder.environment().put("TEST_FVT_ADDR", host);
    Process test = builder.redirectErrorStream(true).start();
    String output = new String(test.getInputStream().readAllBytes(), UTF_8);
    if (test.waitFor() == 0) {
      suite.passed(name);
    } else {
      suite.failed(name, output.lines().filter(PahoSuiteIT::isReason).findFirst().orElse(output));
    }
  }

  private static boolean isReason(String line) {
    return line.contains("_test.go:") || line.startsWith("panic: ");
  }
}
