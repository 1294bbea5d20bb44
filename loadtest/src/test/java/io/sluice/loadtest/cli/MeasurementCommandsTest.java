package io.sluice.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.report.Samples;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.RunOrigin;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MeasurementCommandsTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void shouldWriteReportNextToFile() throws Exception {
    String file = file("mine.json", 800);

    assertThat(execute("report", file)).isZero();

    assertThat(folder.resolve("mine.html")).exists();
    assertThat(folder.resolve("mine.md")).exists();
    assertThat(out.toString()).contains("mine.html", "mine.md");
  }

  @Test
  void shouldWriteReportToOtherFolder() throws Exception {
    Path other = folder.resolve("other");

    assertThat(execute("report", file("mine.json", 800), "--folder", other.toString())).isZero();

    assertThat(other.resolve("mine.html")).exists();
  }

  @Test
  void shouldReportInvalidMeasurementInOneLine() throws Exception {
    Path file = folder.resolve("empty.json");
    Samples.measurement().write(file);

    assertThat(execute("report", file.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString().strip()).isEqualTo("sluice report: Ticker has no runs");
    assertThat(execute("report", folder.resolve("none.json").toString()))
        .isEqualTo(ExitCode.FAILED);
  }

  @Test
  void shouldFailCompareOnlyIfRequestedAndSlower() throws Exception {
    String fast = file("fast.json", 500);
    String slow = file("slow.json", 1500);

    assertThat(execute("compare", "--accept-one-process", fast, slow)).isZero();
    assertThat(out.toString()).contains("| slower |");
    assertThat(execute("compare", "--accept-one-process", "--fail-if-slower", fast, slow))
        .isEqualTo(ExitCode.FAILED);
    assertThat(execute("compare", "--accept-one-process", "--fail-if-slower", slow, fast)).isZero();
    assertThat(execute("compare", "--since", "broker", slow, fast)).isZero();
  }

  @Test
  void shouldGiveNoVerdictAboutFurtherProcessesFromOneProcess() throws Exception {
    String fast = file("fast.json", 500);
    String slow = file("slow.json", 1500);

    assertThat(execute("compare", fast, slow)).isZero();
    assertThat(out.toString())
        .contains("| none |", "valid for the measured processes only")
        .doesNotContain("slower");
    assertThat(execute("compare", "--fail-if-slower", fast, slow)).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .startsWith("sluice compare: --fail-if-slower requires verdicts, but each side has one");
  }

  @Test
  void shouldCompareBlocksWithIntervalsOfTheMachine() throws Exception {
    String a = blocks("a", 1000);
    String b = blocks("b", 1500);
    String aa = blocks("b", 1000);

    assertThat(execute("compare", a, b, "--same-machine", a, aa)).isZero();
    assertThat(out.toString()).contains("| slower |", "| A/A test, 95 % |", "6 blocks");
    assertThat(execute("compare", "--fail-if-slower", a, b)).isEqualTo(ExitCode.FAILED);
    String runs = file("runs.json", 500);
    assertThat(execute("compare", a, b, "--same-machine", runs, runs)).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains("the A/A measurements are not the two files of one sluice ab-test");
  }

  @Test
  void shouldNameInvalidOptionsOfAbTest() {
    assertThat(execute("ab-test", "--blocks=1")).isEqualTo(ExitCode.USAGE);
    assertThat(execute("ab-test", "--clients=0", "--folder=" + folder)).isEqualTo(ExitCode.USAGE);
    assertThat(execute("ab-test", "--position=middle", "--folder=" + folder))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("--blocks 1: must be at least 2")
        .contains("--clients=0: must be at least 1")
        .contains("--position=middle: must be one of random, first, last");
  }

  @Test
  void shouldReportIncomparableMeasurementsInOneLine() throws Exception {
    String a = file("a.json", 500);
    Path b = folder.resolve("b.json");
    Samples.measurement(Samples.run(1, 200, 500, 1)).write(b);

    assertThat(execute("compare", a, b.toString())).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).startsWith("sluice compare: the measurements have different loads");
    assertThat(execute("compare", "--allow-different-loads", a, b.toString())).isZero();
    assertThat(execute("compare", a)).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void shouldNameNewOptionForFormerOne() throws Exception {
    String file = file("a.json", 500);

    assertThat(execute("compare", "--anyway", file, file)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .startsWith("sluice compare: --anyway was renamed; use --allow-different-loads");
  }

  @Test
  void shouldPlanWithGivenCapacityWithoutHeadroom() {
    assertThat(
            execute(
                "plan",
                "--per-node=24000",
                "--clients=1032000",
                "--broker-rate=1000",
                "--broker-bytes=1000"))
        .isZero();

    assertThat(out.toString()).contains("| nodes | 43 |", "| 0.344 Gb/s |");
  }

  @Test
  void shouldPlanFromMeasurements() throws Exception {
    assertThat(
            execute(
                "plan", "--accept-one-process", file("a.json", 500), "--clients=70", "--p99=50"))
        .isZero();

    assertThat(out.toString())
        .contains(
            "| nodes | 2 |", "lower bound", "Accepted: the step with 100 clients has one run");
  }

  @Test
  void shouldPlanFromRunsOfSeveralProcessesOnly() throws Exception {
    String file = file("a.json", 500);

    assertThat(execute("plan", file, "--clients=70", "--p99=50")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .startsWith(
            "sluice plan: the step with 100 clients has one run: its interval says nothing about"
                + " further processes.");
    assertThat(execute("plan", blocks("a", 500), "--clients=70", "--p99=50")).isZero();
    assertThat(out.toString()).doesNotContain("Accepted");
  }

  @Test
  void shouldNameInvalidPlanOptions() throws Exception {
    String file = file("a.json", 500);

    assertThat(execute("plan", file, "--per-node=5", "--clients=70")).isEqualTo(ExitCode.USAGE);
    assertThat(execute("plan", "--clients=70", "--p99=5")).isEqualTo(ExitCode.USAGE);
    assertThat(execute("plan", "--per-node=5", "--clients=70", "--tls")).isEqualTo(ExitCode.USAGE);
    assertThat(execute("plan", file, "--clients=70")).isEqualTo(ExitCode.USAGE);
    assertThat(execute("plan", file, "--clients=0", "--p99=5")).isEqualTo(ExitCode.USAGE);
    assertThat(execute("plan", file, "--clients=9", "--p99=5", "--headroom=100"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(execute("plan", file, "--clients=9", "--p99=5", "--rate=0"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString())
        .contains("expected either measurement files or --per-node")
        .contains("missing --p99")
        .contains("--p99 requires measurement files")
        .contains("--tls requires the model")
        .contains("--clients 0: must be at least 1")
        .contains("--headroom 100.0: must be below 100")
        .contains("--rate 0.0: must be above 0");
  }

  @Test
  void shouldReportMissingMeasurementsInOneLine() throws Exception {
    assertThat(execute("plan", blocks("a", 500), "--clients=70", "--p99=50", "--size=9"))
        .isEqualTo(ExitCode.FAILED);

    assertThat(err.toString().strip().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("sluice plan: neither 100 topics × 10/s × 9 B");
  }

  private String file(String name, double medianMicros) throws IOException {
    Measurement measurement = Samples.measurement(Samples.run(1, 100, medianMicros, 1));
    Path file = folder.resolve(name);
    measurement.write(file);
    return file.toString();
  }

  private String blocks(String system, double medianMicros) throws IOException {
    MeasuredRun[] runs =
        IntStream.rangeClosed(1, 6)
            .mapToObj(
                block ->
                    Samples.run(block, 100, medianMicros, block + system.hashCode())
                        .with(
                            block,
                            new RunOrigin("x", system, block, 1, true, system + " " + block)))
            .toArray(MeasuredRun[]::new);
    Path file = folder.resolve(system + medianMicros + ".json");
    Samples.measurement(runs).write(file);
    return file.toString();
  }

  private int execute(String... arguments) {
    CommandLine line = LoadTestCli.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
