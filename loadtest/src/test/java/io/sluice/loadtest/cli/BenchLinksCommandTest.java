package io.sluice.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchLinksCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --scenario three-bridges    | one-bridge, TWO_BRIDGES, two-bridges]
          --transport udp             | expected one of [TCP, MULTICAST]
          --bytes 47                  | --bytes 47: expected a number from 48
          --bytes 1000001             | --bytes 1000001: expected a number from 48 to 1000000
          --rate 0                    | --rate 0: expected a number from 1
          --warm-up-messages -1       | --warm-up-messages -1: expected a number from 0
          --runs 0                    | --runs 0: expected a number from 1
          --peers 0                   | --peers 0: expected a number from 1
          --peers 1,101               | --peers 101: expected a number from 1 to 100
          --peers 8..2                | --peers 2: expected a number from 8
          --peers 1-30                | --peers 1-30: expected numbers such as 1,8 or 1..30
          --warm-up 0                 | --warm-up 0.0: expected seconds
          --duration -1               | --duration -1.0: expected seconds
          --patience 3601             | --patience 3601.0: expected seconds
          --launcher pom.xml          | --launcher pom.xml: expected bin/sluice
          --csv no/such/folder/file   | --csv no/such/folder/file: expected a file
          --html no/such/folder/file  | --html no/such/folder/file: expected a file
          """)
  void shouldRejectInvalidOptionsInOneLine(String options, String expected) {
    StringWriter errors = new StringWriter();
    CommandLine line = LoadTestCli.commandLine();
    line.setErr(new PrintWriter(errors, true));
    String launcher = options.contains("--launcher") ? "" : " --launcher ../gateway/bin/sluice";

    int code = line.execute(("bench-links " + options + launcher).split(" +"));

    assertThat(code).isEqualTo(ExitCode.USAGE);
    assertThat(errors.toString().lines()).hasSize(2); // the second line refers to the help
    assertThat(errors.toString()).contains(expected);
  }
}
