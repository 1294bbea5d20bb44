package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.TestBroker;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One script of the JavaScript client in each runtime that it promises to work in. */
@Tag("full")
@Timeout(300)
final class RuntimesIT {
  /** Those of the script's messages, which the node has to forward. */
  static final List<String> PROPERTIES = List.of("unit", "count", "ratio", "isLast");

  /** Output of the script after success. */
  static final List<String> GOOD =
      List.of("WEBSOCKET BINARY", "WEBSOCKET JSON", "HTTP BINARY", "HTTP JSON");

  private static TestBroker broker;
  private static TestNode node;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(BrokerSettings.FORWARD_PROPERTIES, PROPERTIES));
  }

  @AfterAll
  static void stop() {
    if (node != null) {
      node.close();
    }
    broker.close();
  }

  @Test
  void shouldUseBothTransportsInBothEncodingsAndEnd() throws Exception {
    checkRuntime("node");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"deno", "bun"})
  void shouldUseBothTransportsInBothEncodingsInOtherRuntimes(String runtime) throws Exception {
    checkRuntime(runtime);
  }

  private static void checkRuntime(String runtime) throws Exception {
    String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
    List<String> said =
        BrowserScript.run("integration/run-in.mjs", Map.of(), runtime, "runtime.mjs", url);
    assumeFalse(said.get(0).startsWith("NONE"), () -> runtime + ": " + said.get(0));
    assertThat(said).isEqualTo(GOOD);
  }

  @Test
  void shouldCompileWithTheHermesOfReactNative() throws Exception {
    List<String> said = BrowserScript.run("integration/hermes.mjs", Map.of());
    assumeFalse(said.get(0).startsWith("NONE"), () -> "hermesc: " + said.get(0));
    assertThat(said).containsExactly("COMPILES");
  }
}
