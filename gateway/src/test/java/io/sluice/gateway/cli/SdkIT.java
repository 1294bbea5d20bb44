package io.sluice.gateway.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The JavaScript client's tests that need a node and a broker, which they start themselves. */
class SdkIT {
  private static final Path TESTS = Path.of("..", "js-client", "integration");

  @Test
  void shouldPassTheClientsTestsAgainstARealNode() throws Exception {
    Process tests =
        new ProcessBuilder(
                "node",
                "--test",
                "--test-reporter=dot",
                "sdk.test.mjs",
                "credentials.test.mjs",
                "queues.test.mjs",
                "jms.test.mjs",
                "scenarios.test.mjs")
            .directory(TESTS.toFile())
            .inheritIO()
            .start();
    try {
      assertThat(tests.waitFor(10, MINUTES)).isTrue();
      assertThat(tests.exitValue()).as("exit code of the tests; their output is above").isZero();
    } finally {
      tests.destroy();
    }
  }
}
