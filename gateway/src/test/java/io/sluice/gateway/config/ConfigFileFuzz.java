package io.sluice.gateway.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

/** Reads a text as a configuration file: it ends, and every problem is somewhere. */
public final class ConfigFileFuzz {
  private static final String NAME = "sluice.yaml";
  private static final Map<String, String> VARIABLES = Map.of("HOST", "broker.example");

  private ConfigFileFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    ConfigDraft draft = ConfigFile.parse(NAME, new String(input, UTF_8), VARIABLES::get);
    for (Problem problem : AllRules.problems(draft)) {
      assertThat(problem.origin().source()).as(problem.toString()).isNotBlank();
      assertThat(problem.what()).as(problem.toString()).isNotBlank();
      assertThat(problem.origin().line() > 0)
          .as(problem.toString())
          .isEqualTo(problem.origin().column() > 0);
    }
  }
}
