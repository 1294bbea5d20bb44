package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the rules for tracing. */
final class TracingRulesTest {
  @TempDir private Path folder;

  private List<String> problems(String tracing) throws IOException {
    return FoundProblems.of(folder, "auth.anonymous: true\ntracing: {" + tracing + "}");
  }

  @Test
  void shouldAcceptAReceiver() throws IOException {
    assertThat(problems("endpoint: 'http://collector:4318/v1/traces', sample-ratio: 0.01"))
        .isEmpty();
    assertThat(problems("endpoint: 'https://c/v1/traces', sample-ratio: 1, queue: 65536"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sample-ratio: 0.5 | sample-ratio: has no effect without tracing.endpoint, which is not set",
        "headers-file: f | headers-file: has no effect without tracing.endpoint, which is not set",
        "queue: 1 | queue: has no effect without tracing.endpoint, which is not set",
        "endpoint: 'collector:4317' | endpoint: \"collector:4317\" is not an http or https URL"
            + " without user info and fragment",
        "endpoint: 'http://u:p@c/' | endpoint: \"http://***@c/\" is not an http or https URL"
            + " without user info and fragment",
        "endpoint: 'http://c', sample-ratio: 1.01 | sample-ratio: \"1.01\" is not a number from 0"
            + " to 1",
        "endpoint: 'http://c', sample-ratio: -0.1 | sample-ratio: \"-0.1\" is not a number from 0"
            + " to 1",
        "endpoint: 'http://c', sample-ratio: half | sample-ratio: \"half\" is not a number from 0"
            + " to 1",
        "endpoint: 'http://c', queue: 0 | queue: \"0\" is too small",
        "endpoint: 'http://c', queue: 65537 | queue: \"65537\" is too large",
      })
  void shouldReportInvalidSettings(String tracing, String problem) throws IOException {
    assertThat(problems(tracing)).contains("tracing." + problem);
  }
}
