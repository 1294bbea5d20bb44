package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the rules for the source of alerts. */
final class AlertRulesTest {
  @TempDir private Path folder;

  private List<String> problems(String admin) throws IOException {
    return FoundProblems.of(folder, "auth.anonymous: true\nadmin: {" + admin + "}");
  }

  @Test
  void shouldAcceptAPrometheusWithAToken() throws IOException {
    assertThat(problems("alerts-url: 'https://p/prometheus', alerts-token-file: token")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "alerts-token-file: t | alerts-token-file: has no effect without admin.alerts-url, which is"
            + " not set",
        "alerts-url: 'p:9090' | alerts-url: \"p:9090\" is not an http or https URL without user"
            + " info and fragment",
      })
  void shouldReportInvalidSettings(String admin, String problem) throws IOException {
    assertThat(problems(admin)).contains("admin." + problem);
  }
}
