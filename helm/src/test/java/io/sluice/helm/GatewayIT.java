package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.CommandResult;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Configuration and commands that the chart renders, checked by the gateway. */
class GatewayIT {
  private static final Path SLUICE = Path.of("..", "gateway", "bin", "sluice");
  private static final Map<String, String> POD =
      Map.of(
          "POD_NAME", "gw-0",
          "POD_NAMESPACE", "live",
          "POD_IP", "10.0.0.1",
          "SLUICE_JAVA_OPTS", SluiceProcess.javaOptions());

  @TempDir private Path mounts;

  private static CommandResult sluice(List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(SLUICE.toString()));
    command.addAll(arguments);
    return CommandResult.of(POD, command);
  }

  /**
   * Returns scenarios with different sources of messages; with the profile full also those that add
   * settings which {@link ConfigurationSchemaTest} checks one by one.
   */
  static Stream<String> scenarios() {
    Stream<String> all =
        Stream.of(
            "links-leaf",
            "per-pod",
            "statefulset-durable",
            "cluster-secret",
            "durable-removed",
            "ingress-tls",
            "links-inner",
            "links-outer",
            "monitoring",
            "per-pod-routes");
    return Boolean.getBoolean("sluice.full") ? all : all.limit(3);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldRenderAValidConfiguration(String scenario) throws Exception {
    String text = Chart.scenario(scenario).config().toString();
    Path file = mounts.resolve("sluice.yaml");
    Files.writeString(file, text.replace("/etc/sluice", mounts.toString()));
    secret("admin", "token");
    secret("broker", "username");
    secret("broker", "password");
    secret("cluster", "secret");
    secret("links", "tls.crt");
    secret("links", "tls.key");
    secret("links", "ca.crt");

    CommandResult check = sluice(List.of("check-config", file.toString()));

    assertThat(check.code()).as(check.output()).isZero();
  }

  private void secret(String folder, String key) throws IOException {
    Path file = Files.createDirectories(mounts.resolve(folder)).resolve(key);
    Files.writeString(file, "0123456789abcdef\n");
  }

  /** The command is valid and fails only because Kubernetes has not mounted the file. */
  @Test
  void shouldRenderValidTestCommand() throws Exception {
    List<String> arguments = new ArrayList<>();
    for (JsonNode each : Chart.scenario("hardened").one("Pod").at("/spec/containers/0/args")) {
      arguments.add(each.asText());
    }

    CommandResult probe = sluice(arguments);

    assertThat(probe.output()).contains("--token-file /test/token/token cannot be read");
    assertThat(probe.code()).isEqualTo(1);
  }
}
