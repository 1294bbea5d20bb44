package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Problem.Origin;
import org.junit.jupiter.api.Test;

final class ProblemTest {
  @Test
  void shouldPrintOneLineForAnyKeyAndValue() {
    Problem problem =
        new Problem(
            new Origin("a\nb.yaml", 3, 1), "server\n.port\r", "is \"\u2028\u0085\u001b\"", "1\t2");

    assertThat(problem.toString())
        .isEqualTo(
            "a\\n"
                + "b.yaml:3:1: server\\n"
                + ".port\\u000d: is \"\\u2028\\u0085\\u001b\"; expected 1\\u00092");
  }
}
