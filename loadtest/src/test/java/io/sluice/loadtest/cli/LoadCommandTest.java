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
        "--url ws://localhost --clients 1 --protocol amqp | --protocol: 'amqp' is none of"
            + " sluice.v1.bin, sluice.v1.json, sse, stomp, mqtt",
        "--url ws://localhost --clients 1 --protocol sse | --url: 'ws://localhost' is not a URL such"
            + " as http://localhost:8080/topics",
        "--url ws://localhost --clients 1 --publish 1 |"
            + " --publish: clients cannot publish with --protocol sluice.v1.bin",
        "--url ws://localhost --clients 1 --server-pid 1 | --server-pid: requires --measured",
        "--url ws://localhost --clients 1 --measured 1 --warm-up 2 --duration 2 |"
            + " --duration 2: must be above --warm-up 2",
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
