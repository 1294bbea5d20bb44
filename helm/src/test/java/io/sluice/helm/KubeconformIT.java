package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart, validated by kubeconform, which Go builds: profile kubernetes. */
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
  void shouldRenderValidObjects(Path scenario) throws Exception {
    Path list = folder.resolve("list.yaml");
    String items = Chart.render(scenario).objects().toString();
    Files.writeString(list, "{apiVersion: v1, kind: List, items: " + items + "}");

    String program = BIN.resolve("kubeconform").toString();
    assertSucceeds(program, "-strict", "-summary", "-schema-location", SCHEMAS, list.toString());
  }

  private static void assertSucceeds(String... command) throws Exception {
    try {
      CommandResult end = CommandResult.of(Map.of("GOBIN", BIN.toString()), List.of(command));
      assertThat(end.code()).as(end.output()).isZero();
    } catch (IOException e) {
      throw new AssertionError(command[0] + " cannot be run; install Go 1.24 or later", e);
    }
  }
}
