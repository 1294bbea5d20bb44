package io.sluice.gateway.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Specs of stompjs: those in its package, which later versions do not contain. They have time
 * limits of a few seconds.
 */
@Tag("full")
@Tag("alone")
@Timeout(300)
final class StompSpecsIT {
  private static final int SPECS = 38;

  /** Specs with the reason why a node declines them. */
  private static final Map<String, String> DECLINED =
      Map.of(
          "Stomp Acknowledgement: Subscribe using client ack mode, send a message and nack it",
          "a message of a topic cannot be rejected");

  @Test
  void shouldPassTheSpecsOfStompjs() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start();
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(TopicSettings.PUBLISH_TOPICS, List.of(">")))) {
      node.awaitReady();
      run("ws://127.0.0.1:" + node.gateway().port() + "/stomp")
          .assertPassed(SPECS - DECLINED.size(), DECLINED);
    }
  }

  private static Suite run(String url) throws Exception {
    Suite suite = new Suite();
    String script = Path.of("stock-clients", "node", "specs.mjs").toString();
    Process specs =
        new ProcessBuilder("node", script, url)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var lines = specs.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String text = line.strip().replaceFirst("^\\S+ ", "");
        if (line.startsWith("PASSED ")) {
          suite.passed(text);
        } else {
          suite.failed(text.replaceFirst(" because .*", ""), text.replaceFirst(".* because ", ""));
        }
      }
    } finally {
      specs.destroy();
    }
    assertThat(specs.waitFor()).as("exit code of specs.mjs").isZero();
    return suite;
  }
}
