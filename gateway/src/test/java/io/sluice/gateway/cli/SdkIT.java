package io.sluice.gateway.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.ClassArchives;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The JavaScript client's tests that need a node and a broker, which they start themselves. */
@Order(2)
class SdkIT {
  private static final Path TESTS = Path.of("..", "js-client", "integration");
  private static final Path OUTPUT = Path.of("target", "sdk-tests.txt").toAbsolutePath();

  /** Heading of the reporter's last part: each failed test with its error. */
  private static final String FAILED = "✖ failing tests:";

  @Test
  void shouldPassTheClientsTestsAgainstARealNode() throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("node", "--test", "--test-reporter=spec", "--test-concurrency=3"));
    arguments.addAll(List.of("sdk.test.mjs", "queues.test.mjs", "jms.test.mjs"));
    boolean isFull = Boolean.getBoolean("sluice.full");
    if (isFull) {
      arguments.addAll(List.of("credentials.test.mjs", "login.test.mjs", "scenarios.test.mjs"));
    }
    ProcessBuilder command =
        new ProcessBuilder(arguments)
            .directory(TESTS.toFile())
            .redirectErrorStream(true)
            .redirectOutput(OUTPUT.toFile());
    if (isFull) {
      command.environment().put("SLUICE_FULL", "true");
    }
    command.environment().put("SLUICE_JAVA_OPTS", SluiceProcess.javaOptions());
    // For brokers, which the command starts as children: its own options are read later, and win.
    List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1"));
    options.addAll(ClassArchives.options("broker"));
    command.environment().put("JDK_JAVA_OPTIONS", String.join(" ", options));
    Process tests = command.start();
    try {
      assertThat(tests.waitFor(30, MINUTES)).as("ended within 30 minutes\n%s", report()).isTrue();
      assertThat(tests.exitValue()).as("%s", report()).isZero();
    } finally {
      tests.destroy();
    }
  }

  /** Returns the failed tests, or the complete output if it lists none. */
  private static String report() throws IOException {
    String output = Files.readString(OUTPUT);
    return output.substring(Math.max(0, output.lastIndexOf(FAILED)));
  }
}
