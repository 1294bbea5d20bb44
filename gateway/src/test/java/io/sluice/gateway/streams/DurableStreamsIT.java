package io.sluice.gateway.streams;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.testkit.TestBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The conformance suite of Durable Streams; declined.json has the cases that nodes decline. */
@Order(4)
final class DurableStreamsIT {
  private static final Path CLIENT = Path.of("..", "js-client");

  private static String run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .directory(CLIENT.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(10, MINUTES)).isTrue();
      assertThat(process.exitValue()).as("%s", said).isZero();
      return said;
    } finally {
      process.destroy();
    }
  }

  @Test
  void shouldPassAllCasesOfReading() throws Exception {
    run("sh", "scripts/install.sh", "streams");
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
                    .with(BrokerSettings.LINGER, Duration.ofMinutes(10))
                    .with(LimitSettings.MESSAGE_BYTES, 1L << 20))) {
      node.awaitReady();
      String url = "http://127.0.0.1:" + node.gateway().port();
      assertThat(run("node", "streams/conformance.mjs", url)).contains("PASSED");
    }
  }
}
