package io.sluice.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sluice.testkit.CommandPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The reference of the measurement commands, which is generated from the code. */
class MeasurementPageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "cli-measure.md");
  private static final String HEAD =
      """
      # Command line: measurements

      These commands measure gateways and brokers ([load test](../how-to/load-test.md), \
      [benchmark a broker](../BENCH-BROKER.md)). `bin/sluice COMMAND` runs them in the archive \
      `sluice-loadtest-VERSION.tar.gz`, and `gateway/bin/sluice COMMAND` in a clone of the \
      repository, which it builds once. `sluice COMMAND --help` describes each command and all \
      options with their defaults.

      ## Commands

      """;
  private static final String FOOT =
      """

      Generated: `mvn -pl loadtest -am test -Dtest=MeasurementPageTest \
      -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.docs=write`.
      """;

  private final CommandLine program = LoadTestCli.commandLine();

  @Test
  void shouldDocumentEveryCommand() throws IOException {
    String text = HEAD + CommandPage.overview(program) + FOOT;
    if ("write".equals(System.getProperty("sluice.docs"))) {
      Files.writeString(PAGE, text);
    }
    assertThat(PAGE)
        .as(
            "docs/reference/cli-measure.md differs from the commands; -Dsluice.docs=write writes it"
                + " anew")
        .hasContent(text);
  }

  @Test
  void shouldHaveAValidExampleOfEveryCommand() {
    assertThat(CommandPage.examples(program))
        .hasSize(9)
        .allSatisfy(
            arguments ->
                assertThatCode(() -> program.parseArgs(arguments))
                    .as(String.join(" ", arguments))
                    .doesNotThrowAnyException());
  }
}
