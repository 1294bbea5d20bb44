package io.sluice.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchBrokerCommandTest {
  /** Unreachable address; invalid options are rejected before a connection attempt. */
  private static final String BROKER = "--broker tcp://127.0.0.1:1 ";

  private final StringWriter errors = new StringWriter();
  private final StringWriter output = new StringWriter();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --producers 0                                 | --producers 0: expected a number from 1
          --consumers -1                                | --consumers -1: expected a number from 1
          --size -1                                     | --size -1: expected a number from 48
          --size 47                                     | --size 47: expected a number from 48
          --connections 0                               | --connections 0: expected
          --sessions -1                                 | --sessions -1: expected
          --priority 10                                 | --priority 10: expected a number from 0 to 9
          --properties -1                               | --properties -1: expected
          --destinations 2                              | leaves one unused; expected
          --transacted --messages-per-transaction 0     | expected at least 1
          --messages-per-transaction 5                  | requires --transacted
          --mode topic --durable                        | expected --client-id
          --mode queue --durable --client-id x          | expected --mode topic
          --warm-up -1                                  | --warm-up -1.0: expected seconds
          --duration 0                                  | --duration 0.0: expected seconds
          --interval 0                                  | --interval 0.0: expected seconds
          --messages 0                                  | --messages 0: expected at least 1
          --messages 5 --duration 5                     | expected one of them
          --rate -1                                     | --rate -1.0: expected
          --runs 0                                      | --runs 0: expected a number from 1
          --gateway http://localhost/ --mode topic      | expected a URL such as ws://
          --gateway ws://localhost/ws                   | expected --mode topic
          --gateway ws://a/ws --mode topic --type map   | expected --mode topic and --type text
          --gateway ws://a/ws --mode topic --transacted | expected none of them
          --preset disk --data .                        | expected neither --broker
          --mode topic --reply-to                       | expected --mode queue
          --reply-to --transacted                       | supports neither topics nor transactions
          --record prices                               | expected --type price or object
          --type price --record-sync                    | --record-sync requires --record
          --type price --record no/such/file            | expected a file in an existing folder
          --type price --replay no/such/file            | expected a readable file
          --type price --record pom.xml --replay pom.xml | expected different ones
          --gateway ws://a/ws --mode topic --type price --record p | does not support --record
          --preset one-to-many --counts 1,0             | --counts 0: expected
          --password-file no/such/file                  | expected a readable file
          --json no/such/folder/file                    | expected a file in an existing folder
          --producers many                              | is not an int
          --mode both                                   | expected one of [QUEUE, TOPIC]
          """)
  void shouldRejectInvalidOptionsInOneLine(String options, String expected) {
    assertThat(execute(BROKER + options)).isEqualTo(ExitCode.USAGE);
    assertThat(errors.toString().lines().findFirst().orElseThrow()).contains(expected);
    assertThat(errors.toString().lines()).hasSize(2); // the second line refers to the help
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --runs 1                                            | missing --broker: expected
          --preset journal                                    | expected an existing folder
          --preset disk --data no/such/folder                 | expected an existing folder
          --preset disk --data . --disk-seconds -1            | --disk-seconds -1.0: expected
          --preset journal --data . --journal quantum         | expected a part of Artemis NIO
          """)
  void shouldRejectPresetWithoutRequiredOptions(String options, String expected) {
    assertThat(execute(options)).isEqualTo(ExitCode.USAGE);
    assertThat(errors.toString().lines().findFirst().orElseThrow()).contains(expected);
  }

  @Test
  void shouldReportUnreachableBrokerInOneLine() {
    assertThat(execute(BROKER + "--runs 1")).isEqualTo(ExitCode.FAILED);
    assertThat(errors.toString().strip().lines())
        .singleElement()
        .asString()
        .startsWith("sluice bench-broker: cannot measure the broker: ");
  }

  @Test
  void shouldListOptionValuesInHelp() {
    assertThat(execute("--help")).isEqualTo(ExitCode.OK);
    assertThat(output.toString()).contains("many-to-one").contains("dups-ok").contains("classic");
  }

  private int execute(String options) {
    CommandLine line = LoadTestCli.commandLine();
    line.setErr(new PrintWriter(errors, true));
    line.setOut(new PrintWriter(output, true));
    return line.execute(("bench-broker " + options).strip().split(" +"));
  }
}
