package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The judgement of another validator. It needs Go, which builds it: profile kubernetes. */
@Tag("kubernetes")
class KubeconformIT {
  private static final String PROGRAM = "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0";
  private static final Path BIN = Path.of("target", "go").toAbsolutePath();
  private static final String SCHEMAS =
      "src/test/resources/schemas/{{.ResourceKind}}{{.KindSuffix}}.json";

  @TempDir private Path folder;

  static List<Path> scenarios() {
    return Chart.scenarios();
  }

  @BeforeAll
  static void build() throws Exception {
    assertSucceeds("go", "install", PROGRAM);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldRenderObjectsThatKubeconformKnows(Path scenario) throws Exception {
    Path list = folder.resolve("list.yaml");
    String items = Chart.render(scenario).objects().toString();
    Files.writeString(list, "{apiVersion: v1, kind: List, items: " + items + "}");

    String program = BIN.resolve("kubeconform").toString();
    assertSucceeds(program, "-strict", "-summary", "-schema-location", SCHEMAS, list.toString());
  }

  private static void assertSucceeds(String... command) throws InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("GOBIN", BIN.toString());
    try {
      Process process = builder.start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(out).isZero();
    } catch (IOException e) {
      throw new AssertionError(command[0] + " cannot be run; install Go 1.24 or later", e);
    }
  }
}
