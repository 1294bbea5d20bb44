package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sluice.gateway.cli.command.Termination;
import io.sluice.testkit.CommandPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The reference of the commands, which is generated from the code. */
class CommandLinePageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "cli.md");
  private static final String HEAD =
      """
      # Command line

      `sluice COMMAND` is `bin/sluice COMMAND` in an unpacked archive and `gateway/bin/sluice COMMAND` \
      in a clone; in a container, the command follows the name of the image. [Measurement \
      commands](cli-measure.md), such as `sluice load`, are in a separate archive. `sluice COMMAND \
      --help` prints the syntax.

      Results go to standard output, log lines and errors to standard error. Environment variables: \
      `SLUICE_JAVA` (Java home), `SLUICE_JAVA_OPTS` (options of the virtual machine), \
      `SLUICE_AOT_CACHE` (folder of the [AOT cache](../operations/deploy.md#start-faster)).

      ## Commands

      """;
  private static final String FOOT =
      """

      Generated: `mvn -pl gateway -am test -Dtest=CommandLinePageTest \
      -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.docs=write`.
      """;

  private final CommandLine program =
      Sluice.commandLine(NodeStarter::startGateway, new Termination());

  @Test
  void shouldDocumentEveryCommand() throws IOException {
    String text = HEAD + CommandPage.sections(program) + FOOT;
    if ("write".equals(System.getProperty("sluice.docs"))) {
      Files.writeString(PAGE, text);
    }
    assertThat(PAGE)
        .as("docs/reference/cli.md differs from the commands; -Dsluice.docs=write writes it anew")
        .hasContent(text);
  }

  @Test
  void shouldHaveAValidExampleOfEveryCommand() {
    assertThat(CommandPage.examples(program))
        .hasSize(31)
        .allSatisfy(
            arguments ->
                assertThatCode(() -> program.parseArgs(arguments))
                    .as(String.join(" ", arguments))
                    .doesNotThrowAnyException());
  }
}
