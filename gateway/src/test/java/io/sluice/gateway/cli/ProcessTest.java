package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the command line in a child process: output and exit code. */
@Timeout(180)
class ProcessTest {
  @Test
  void shouldRunWithoutABrokerAndExitWithZeroOnSigterm() throws Exception {
    Process process =
        start(
            "run",
            "--anonymous",
            "--broker",
            "tcp://127.0.0.1:1",
            "--port",
            "0",
            "--admin-port",
            "0");
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.readLine()).matches("Sluice listens at ws://localhost:[1-9]\\d*/ws");
      assertThat(output.readLine()).matches("admin: http://127.0.0.1:[1-9]\\d*/health/ready");
      process.toHandle().destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void shouldReportOnceThatNoClientCouldConnect() throws Exception {
    Process process =
        start("run", "--broker", "tcp://127.0.0.1:1", "--port", "0", "--admin-port", "0");
    try (BufferedReader errors = process.errorReader()) {
      assertThat(errors.lines())
          .containsSubsequence("sluice run: the configuration has 1 problem")
          .filteredOn(line -> line.contains("is false and no other mechanism is configured"))
          .singleElement()
          .asString()
          .contains("auth.anonymous", "--anonymous");
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(1);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void shouldKeepAFeedRunningWithoutABrokerAndEndItOnSigterm() throws Exception {
    Process process = start("feed", "--broker", "tcp://127.0.0.1:1");
    try (BufferedReader log = process.errorReader()) {
      assertThat(log.readLine()).contains("INFO", "feed.connecting", "url=");
      assertThat(log.readLine()).contains("WARN", "feed.broker-lost", "cause=");
      process.toHandle().destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      try (BufferedReader output = process.inputReader()) {
        assertThat(output.readLine()).startsWith("0.0 messages/s, 0 sent");
      }
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void shouldExitWithTwoOnWrongUse() throws Exception {
    Process process = start("rum");
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
  }

  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Only C1: in a process of a second C2 costs more than it saves.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(Sluice.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).start();
  }
}
