package io.sluice.loadtest.cli;

import io.sluice.loadtest.broker.workload.OptionName;
import io.sluice.loadtest.links.LinkBench;
import io.sluice.loadtest.links.LinkMeasurement;
import io.sluice.loadtest.links.LinkPlan;
import io.sluice.loadtest.links.LinkScenario;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command that measures nodes that are the source of other nodes. Used by the main thread only. */
@Command(
    name = "bench-links",
    header = "Measure nodes in a row, with the scenarios of a paper about reliable multicast.",
    description = {
      "Starts a broker, nodes with links, publishers and subscribers as processes of this machine."
          + " Measures throughput, with publishers that wait for all subscribers, then latency at a"
          + " rate.",
      "Prints tables of means over the runs with 95 %% confidence intervals (Student's t)."
    },
    sortOptions = false,
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:all messages were received once",
      "1:the command failed, or a message was lost or duplicated",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice bench-links --scenario two-bridges --bytes 1000 --peers 1,8",
    mixinStandardHelpOptions = true)
final class BenchLinksCommand implements Callable<Integer> {
  /** Transport of links. */
  enum LinkTransport {
    TCP,
    MULTICAST;

    @Override
    public String toString() {
      return OptionName.of(this);
    }
  }

  /** System property with the gateway's launcher of a clone. */
  private static final String LAUNCHER = "sluice.launcher";

  private static final double MILLIS = 1000;
  private static final int MIN_BYTES = 48;
  private static final int MAX_BYTES = 1_000_000;
  private static final int MAX_PEERS = 100;
  private static final int MAX_RATE = 1_000_000;
  private static final int MAX_WARM_UP = 100_000_000;
  private static final int MAX_RUNS = 1000;
  private static final double MAX_SECONDS = 3600;

  @Spec private CommandSpec spec;

  @Option(
      names = "--scenario",
      split = ",",
      paramLabel = "NAME",
      description =
          "${COMPLETION-CANDIDATES}: N publishers and one subscriber at a leaf; N leaves with one"
              + " subscriber each; root and leaf, or root, relay and leaf, with N subscribers"
              + " (default: all).")
  private List<LinkScenario> scenarios = List.of(LinkScenario.values());

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      description =
          "Transport of messages: ${COMPLETION-CANDIDATES}, the latter after tcp for comparison"
              + " (default: tcp).")
  private LinkTransport transport = LinkTransport.TCP;

  @Option(
      names = "--bytes",
      split = ",",
      paramLabel = "N",
      description = "Sizes of messages, including a stamp of 48 B (default: 100,1000,10000).")
  private List<Integer> bytes = List.of(100, 1000, 10_000);

  @Option(
      names = "--peers",
      split = ",",
      paramLabel = "N",
      description = "Numbers N of the scenarios, such as 1,8 or 1..30 (default: 1,8).")
  private List<String> peers = List.of("1", "8");

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second while latency is measured (default: ${DEFAULT-VALUE}).")
  private int rate = 1000;

  @Option(
      names = "--warm-up-messages",
      paramLabel = "N",
      description =
          "Messages that a subscriber receives before the first run (default: ${DEFAULT-VALUE}).")
  private int warmUpMessages = 50_000;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      description =
          "Start of each measurement that is excluded from the figures (default: ${DEFAULT-VALUE}).")
  private double warmUp = 1;

  @Option(
      names = "--duration",
      paramLabel = "SECONDS",
      description = "Measured duration, of throughput and of latency (default: ${DEFAULT-VALUE}).")
  private double duration = 2;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      description =
          "Time without messages after which missing messages are lost (default:"
              + " ${DEFAULT-VALUE}).")
  private double patience = 10;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Number of runs (default: ${DEFAULT-VALUE}).")
  private int runs = 10;

  @Option(
      names = "--launcher",
      paramLabel = "FILE",
      description =
          "bin/sluice of the gateway's archive, which starts broker and nodes (default: that of the"
              + " clone).")
  private Path launcher = Path.of(System.getProperty(LAUNCHER, ""));

  @Option(names = "--csv", paramLabel = "FILE", description = "Also write all runs to this file.")
  private Path csv;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with charts and tables to this file.")
  private Path html;

  @Override
  public Integer call() {
    LinkPlan plan = plan();
    PrintWriter progress = spec.commandLine().getErr();
    try {
      LinkMeasurement measurement = new LinkBench(plan, progress::println).run();
      PrintWriter out = spec.commandLine().getOut();
      out.print(measurement.toText());
      out.flush();
      if (csv != null) {
        Files.writeString(csv, measurement.toCsv());
      }
      if (html != null) {
        Files.writeString(html, measurement.toHtml());
      }
      if (!measurement.failures().isEmpty()) {
        throw new LoadTestFailure(String.join("; ", measurement.failures()));
      }
      return ExitCode.OK;
    } catch (IOException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LoadTestFailure("interrupted", e);
    }
  }

  private LinkPlan plan() {
    bytes.forEach(size -> within("--bytes", size, MIN_BYTES, MAX_BYTES));
    within("--rate", rate, 1, MAX_RATE);
    within("--warm-up-messages", warmUpMessages, 0, MAX_WARM_UP);
    within("--runs", runs, 1, MAX_RUNS);
    if (!Files.isExecutable(launcher) || Files.isDirectory(launcher)) {
      throw invalid(
          "--launcher %s: expected bin/sluice of the gateway's archive".formatted(launcher));
    }
    requireFolder("--csv", csv);
    requireFolder("--html", html);
    return new LinkPlan(
        launcher,
        transport == LinkTransport.MULTICAST,
        scenarios,
        bytes,
        peers.stream().flatMap(this::range).toList(),
        rate,
        warmUpMessages,
        seconds("--warm-up", warmUp),
        seconds("--duration", duration),
        seconds("--patience", patience),
        runs);
  }

  private void requireFolder(String option, Path file) {
    if (file != null && file.getParent() != null && !Files.isDirectory(file.getParent())) {
      throw invalid(option + " " + file + ": expected a file in an existing folder");
    }
  }

  /** Returns the numbers of {@code 8} or {@code 1..30}. */
  private Stream<Integer> range(String text) {
    if (!text.matches("\\d{1,4}(\\.\\.\\d{1,4})?")) {
      throw invalid("--peers " + text + ": expected numbers such as 1,8 or 1..30");
    }
    String[] ends = text.split("\\.\\.");
    int first = Integer.parseInt(ends[0]);
    int last = Integer.parseInt(ends[ends.length - 1]);
    within("--peers", first, 1, MAX_PEERS);
    within("--peers", last, first, MAX_PEERS);
    return IntStream.rangeClosed(first, last).boxed();
  }

  private void within(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw invalid("%s %d: expected a number from %d to %d".formatted(option, value, min, max));
    }
  }

  private Duration seconds(String option, double value) {
    if (!(value > 0 && value <= MAX_SECONDS)) {
      throw invalid("%s %s: expected seconds, above 0 to 3600".formatted(option, value));
    }
    return Duration.ofMillis(Math.round(value * MILLIS));
  }

  private ParameterException invalid(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
