package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.BrokerJvm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker of deploy/compose.yaml, started as it says there, but out of this clone. */
@Timeout(180)
class ComposeBrokerIT {
  private static final String PORT = "61616";

  @Test
  void shouldStartFromTheBuildOutput() throws Exception {
    ComposeFile compose = ComposeFile.read();
    List<String> entrypoint = compose.texts("services", "broker", "entrypoint");
    List<String> options = new ArrayList<>(compose.texts("services", "broker", "command"));
    String[] volume = compose.texts("services", "broker", "volumes").get(0).split(":");
    assertThat(entrypoint).hasSize(4).startsWith("java", "-cp");
    assertThat(options).containsSubsequence("--port", PORT);

    String jars = ComposeFile.FOLDER.resolve(volume[0]).normalize().toString();
    String classPath = entrypoint.get(2).replace(volume[1], jars);
    options.set(options.indexOf(PORT), "0");
    options.add(0, entrypoint.get(3));
    BrokerJvm broker = BrokerJvm.start(classPath, options);
    try {
      assertThat(broker.port()).isPositive();
    } finally {
      broker.kill();
    }
  }
}
