package io.sluice.loadtest.cli;

import io.sluice.loadtest.abtest.AbTest;
import io.sluice.loadtest.abtest.AbTestPlan;
import io.sluice.loadtest.abtest.SystemUnderTest;
import io.sluice.loadtest.report.Comparison;
import io.sluice.loadtest.report.ComparisonOptions;
import io.sluice.loadtest.report.ComparisonText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command that runs an A/B test of two systems. Used by the main thread only. */
@Command(
    name = "ab-test",
    header = "Measure two systems in alternation, in blocks with random order, and compare them.",
    description = {
      "Each system is started for each of its runs and stopped after it. Without --b, system a is"
          + " compared with itself: an A/A test, which shows the differences that the machine"
          + " produces without a change. Broker and feed must be running.",
      "Prints progress to standard error, and the comparison as Markdown to standard output. Writes"
          + " a measurement of each system."
    },
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:the systems were compared",
      "1:a run could not be completed, a check failed, or system b is significantly worse in any"
          + " metric (--fail-if-slower)",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice ab-test --a ./old.sh --b ./new.sh --metrics http://localhost:9090/metrics",
    mixinStandardHelpOptions = true)
final class AbTestCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--a",
      paramLabel = "COMMAND",
      description =
          "Shell command that starts system a, the baseline, and ends with SIGTERM (default: it is"
              + " running already and is not restarted).")
  private String a;

  @Option(
      names = "--b",
      paramLabel = "COMMAND",
      description = "The same of system b, the candidate (default: an A/A test of system a).")
  private String b;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "ws://localhost:8080/ws",
      description = "WebSocket of system a (default: ${DEFAULT-VALUE}).")
  private URI url;

  @Option(
      names = "--b-url",
      paramLabel = "URL",
      description = "WebSocket of system b (default: that of system a).")
  private URI urlOfB;

  @Option(
      names = "--metrics",
      paramLabel = "URL",
      description = "Prometheus metrics of system a (default: no CPU time is measured).")
  private URI metrics;

  @Option(
      names = "--b-metrics",
      paramLabel = "URL",
      description = "Prometheus metrics of system b (default: those of system a).")
  private URI metricsOfB;

  @Option(
      names = "--ready",
      paramLabel = "URL",
      description =
          "URL that responds with status 200 once system a is ready (default: a WebSocket handshake"
              + " succeeds).")
  private URI ready;

  @Option(
      names = "--b-ready",
      paramLabel = "URL",
      description = "The same of system b (default: that of system a).")
  private URI readyOfB;

  @Option(
      names = "--blocks",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "Number of blocks, each with one run of both systems (default: ${DEFAULT-VALUE}).")
  private int blocks;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "Seed of the order in blocks and of the positions of measured clients (default: random,"
              + " and printed).")
  private Integer seed;

  @Option(
      names = "--start-timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Time limit for the start of a system (default: ${DEFAULT-VALUE}).")
  private int startTimeout;

  @Option(
      names = "--stop-timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "Time limit for the end of a system, after which it is killed (default:"
              + " ${DEFAULT-VALUE}).")
  private int stopTimeout;

  @Option(
      names = "--folder",
      paramLabel = "FOLDER",
      defaultValue = ".",
      description = "Folder for the measurements and the systems' output (default: current).")
  private Path folder;

  @Option(
      names = "--fail-if-slower",
      description = "Exit with code 1 if system b is significantly worse in any metric.")
  private boolean failIfSlower;

  @Mixin private AbTestLoad load;

  @Override
  public Integer call() {
    requireAtLeast("--blocks", blocks, 2);
    requireAtLeast("--seed", seed == null ? 0 : seed, 0);
    requireAtLeast("--start-timeout", startTimeout, 1);
    requireAtLeast("--stop-timeout", stopTimeout, 1);
    PrintWriter err = spec.commandLine().getErr();
    AbTest.Result result = run(new AbTest(plan(), AbTestLoad::option, err::println));
    Comparison comparison =
        Comparison.of(result.baseline(), result.candidate(), ComparisonOptions.DEFAULT);
    PrintWriter out = spec.commandLine().getOut();
    out.print(ComparisonText.of(comparison));
    out.println("\n" + result.baselineFile() + "\n" + result.candidateFile());
    out.flush();
    if (!result.violations().isEmpty()) {
      throw new LoadTestFailure(result.violations().size() + " checks failed; see above");
    }
    return failIfSlower && comparison.isWorse() ? ExitCode.FAILED : ExitCode.OK;
  }

  private AbTest.Result run(AbTest test) {
    try {
      return test.run();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (IOException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LoadTestFailure("interrupted", e);
    }
  }

  private AbTestPlan plan() {
    SystemUnderTest baseline = system("a", a, url, metrics, ready);
    SystemUnderTest candidate = isAa() ? baseline.named("b") : candidate();
    return new AbTestPlan(
        baseline,
        candidate,
        blocks,
        seed == null ? (int) (System.nanoTime() % 1_000_000) : seed,
        load.parameters(),
        Duration.ofSeconds(startTimeout),
        Duration.ofSeconds(stopTimeout),
        folder,
        commandLine());
  }

  private boolean isAa() {
    return b == null && urlOfB == null;
  }

  private SystemUnderTest candidate() {
    return system(
        "b",
        b,
        urlOfB == null ? url : urlOfB,
        metricsOfB == null ? metrics : metricsOfB,
        readyOfB == null ? ready : readyOfB);
  }

  private static SystemUnderTest system(
      String name, String command, URI url, URI metrics, URI ready) {
    return new SystemUnderTest(
        name,
        Optional.ofNullable(command),
        url,
        Optional.ofNullable(metrics),
        Optional.ofNullable(ready));
  }

  private String commandLine() {
    StringBuilder text = new StringBuilder("sluice ab-test");
    spec.commandLine().getParseResult().originalArgs().forEach(argument -> append(text, argument));
    return text.toString();
  }

  private static void append(StringBuilder text, String argument) {
    boolean plain = argument.matches("[\\w./:,@%+=-]+");
    text.append(' ').append(plain ? argument : "'" + argument.replace("'", "'\\''") + "'");
  }

  private void requireAtLeast(String option, int value, int min) {
    if (value < min) {
      throw new ParameterException(
          spec.commandLine(), option + " " + value + ": must be at least " + min);
    }
  }
}
