package io.sluice.gateway.cli;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The embedded broker's standard input, which is closed when the process that started it ends. */
class BrokerInputIT {
  private static final Path BROKER = Path.of("embedded-broker", "target");
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /** Closes it while the broker initializes its logging, opens its port, or is ready. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(ints = {0, 100, 200, 300, 400, 500, 600, 800, 1200})
  void shouldEndTheBrokerAtAnyTimeOfItsStart(int afterMs) throws Exception {
    String classPath = BROKER.resolve("*") + File.pathSeparator + BROKER.resolve("lib/*");
    List<String> command =
        List.of(
            JAVA,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath,
            "io.sluice.broker.EmbeddedBroker",
            "--until-stdin-closes",
            "--port",
            "0");
    Process broker =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(broker.waitFor(afterMs, MILLISECONDS)).as("ended by itself").isFalse();
      broker.getOutputStream().close();
      assertThat(broker.waitFor(60, SECONDS)).as("ended after its input was closed").isTrue();
      assertThat(broker.exitValue()).isZero();
    } finally {
      broker.destroyForcibly();
    }
  }
}
