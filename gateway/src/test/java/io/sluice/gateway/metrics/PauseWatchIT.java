package io.sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.testkit.BrokerJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that is stopped for a while, and reports it. */
@Timeout(180)
final class PauseWatchIT {
  private static final String METRIC = "sluice_process_paused_seconds_total ";

  /** Program that answers each line with the seconds of its pauses. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      try (Exposition exposition = new Exposition("test");
          GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
          PauseWatch watch = new PauseWatch(System::nanoTime, metrics);
          BufferedReader in =
              new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
        watch.start();
        while (in.readLine() != null) {
          System.out.println(pausedSeconds(exposition));
        }
      }
    }

    private static String pausedSeconds(Exposition exposition) {
      return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(METRIC))
          .map(line -> line.substring(METRIC.length()))
          .findFirst()
          .orElseThrow();
    }
  }

  @Tag("full")
  @Test
  void shouldCountTheTimeForWhichTheProcessWasStopped() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (PrintWriter lines = new PrintWriter(process.outputWriter(), true);
        BufferedReader answers = process.inputReader()) {
      double before = ask(lines, answers); // it runs
      BrokerJvm.signal(process.pid(), "STOP");
      assertThat(process.waitFor(3, TimeUnit.SECONDS)).as("it has ended").isFalse();
      BrokerJvm.signal(process.pid(), "CONT");
      await().atMost(Duration.ofSeconds(60)).until(() -> ask(lines, answers) >= before + 2);
    } finally {
      process.destroyForcibly();
    }
  }

  private static double ask(PrintWriter lines, BufferedReader answers) throws IOException {
    lines.println();
    return Double.parseDouble(answers.readLine());
  }
}
