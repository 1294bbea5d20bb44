package io.sluice.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class LoadCommandTest {
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--clients 1 | Missing required option: '--url=URL'",
        "--url http://localhost --clients 1 |"
            + " --url: 'http://localhost' is not a WebSocket URL such as ws://localhost:8080/ws",
        "--url ws://localhost --clients -1 | --clients -1: must be at least 0",
        "--url ws://localhost --clients 1 --topics 0 | --topics 0: must be at least 1",
        "--url ws://localhost --clients 1 --first -1 | --first -1: must be at least 0",
        "--url ws://localhost --clients 1 --threads 0 | --threads 0: must be at least 1",
        "--url ws://localhost --clients 1 --connect-rate 0 | --connect-rate 0.0: must be above 0"
      })
  void shouldRejectInvalidOptions(String options, String message) {
    assertThat(execute(options)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("sluice load: " + message + System.lineSeparator());
  }

  @Test
  void shouldNameMissingTokenFile(@TempDir Path folder) {
    Path file = folder.resolve("token");

    assertThat(execute("--url ws://localhost --clients 1 --token-file " + file))
        .isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).startsWith("sluice load: --token-file " + file + ": cannot read");
    assertThat(err.toString().lines()).hasSize(1);
  }

  @Test
  void shouldNameUnknownHost() {
    assertThat(execute("--url ws://no-such-host.invalid/ws --clients 1"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(err.toString().lines())
        .containsExactly("sluice load: unknown host: no-such-host.invalid");
  }

  private int execute(String options) {
    CommandLine line = LoadTestCli.commandLine().setErr(new PrintWriter(err, true));
    return line.execute(("load " + options).split(" "));
  }
}
