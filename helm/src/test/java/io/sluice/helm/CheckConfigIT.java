package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rendered configuration, before the gateway that is to run with it. */
class CheckConfigIT {
  private static final Path SLUICE = Path.of("..", "gateway", "bin", "sluice");
  private static final Map<String, String> POD =
      Map.of("POD_NAME", "gw-0", "POD_NAMESPACE", "live", "POD_IP", "10.0.0.1");

  @TempDir private Path secrets;

  @ParameterizedTest
  @ValueSource(strings = {"ingress-tls", "monitoring", "statefulset-durable"})
  void shouldBeWithoutProblems(String scenario) throws Exception {
    Path config = Files.writeString(secrets.resolve("sluice.yaml"), mounted(scenario));
    secret("admin", "token");
    secret("broker", "username");
    secret("broker", "password");

    ProcessBuilder check = new ProcessBuilder(SLUICE.toString(), "check-config", config.toString());
    check.environment().putAll(POD);
    Process process = check.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
  }

  private void secret(String folder, String key) throws IOException {
    Path file = Files.createDirectories(secrets.resolve(folder)).resolve(key);
    Files.writeString(file, "0123456789abcdef\n");
  }

  /** The file, with what Kubernetes mounts in a folder of ours. */
  private String mounted(String scenario) throws IOException {
    return Chart.scenario(scenario).config().toString().replace("/etc/sluice", secrets.toString());
  }
}
