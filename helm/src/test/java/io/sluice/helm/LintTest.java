package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code helm lint --strict}. */
class LintTest {
  @TempDir private Path copy;

  static List<Path> scenarios() {
    return Chart.scenarios();
  }

  @Test
  void shouldPassWithTheValuesOfTheChart() {
    assertPasses(Chart.FOLDER);
  }

  /** Helm lints only the values in the chart's values.yaml. */
  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldPassWithTheValuesOfTheScenario(Path scenario) throws IOException {
    Path chart = copy.resolve("sluice");
    Chart.copyTo(chart);
    Path values = chart.resolve("values.yaml");
    Files.writeString(values, Yaml.merged(Yaml.read(values), Yaml.read(scenario)).toString());

    assertPasses(chart);
  }

  private static void assertPasses(Path chart) {
    LintResult result = new Helm(chart).lint().strict().call();
    assertThat(result.isFailed()).as(String.join("\n", result.getMessages())).isFalse();
  }
}
