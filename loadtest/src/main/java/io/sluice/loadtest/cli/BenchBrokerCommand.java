package io.sluice.loadtest.cli;

import io.sluice.loadtest.broker.BrokerBench;
import io.sluice.loadtest.broker.provider.BrokerStartFailure;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.BrokerMeasurement;
import io.sluice.loadtest.broker.workload.Persistence;
import io.sluice.loadtest.broker.workload.Preset;
import jakarta.jms.JMSException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import javax.naming.NamingException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Command that measures the JMS broker, whose throughput limits the gateway. Used by the main
 * thread only.
 */
@Command(
    name = "bench-broker",
    header = "Measure messaging with a JMS broker, including serialization and durability.",
    description = {
      "Prints tables of means over the runs with 95 %% confidence intervals (Student's t). Times"
          + " are separate: creating and encoding a message, sending it until the broker confirms"
          + " it, the disk's part of that (persistent and non-persistent messages alternately),"
          + " delivery, decoding, acknowledging."
    },
    sortOptions = false,
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:all messages were received once",
      "1:the command failed, or a message was lost or duplicated",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice bench-broker --broker tcp://localhost:61616 --preset transacted",
    mixinStandardHelpOptions = true)
final class BenchBrokerCommand implements Callable<Integer> {
  private static final double MILLIS = 1000;
  private static final int MAX = 10_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      description =
          "Preset workloads: ${COMPLETION-CANDIDATES}. transacted: messages sent in transactions."
              + " many-to-one and one-to-many: topics, with 100, 1,000 and 10,000 B. request-reply:"
              + " requesters that wait for replies. prices: typed price updates. journal:"
              + " brokers that are started with different journals, and their disk. disk: only the"
              + " disk. Options of the workload take precedence.")
  private Preset preset;

  @Mixin private BenchBrokerTarget target;
  @Mixin private BenchBrokerWorkload workload;

  @Option(
      names = "--delivery",
      paramLabel = "MODE",
      description =
          "Delivery mode: ${COMPLETION-CANDIDATES} (default: both; presets many-to-one,"
              + " one-to-many and request-reply: non-persistent; preset journal: persistent).")
  private Persistence.Choice delivery;

  @Mixin private BenchBrokerLength length;

  @Option(
      names = "--counts",
      split = ",",
      paramLabel = "N",
      description =
          "Presets many-to-one, one-to-many and request-reply: numbers of producers, consumers or"
              + " requesters"
              + " (default: 1,2,3,5,10,20,30).")
  private List<Integer> counts = List.of(1, 2, 3, 5, 10, 20, 30);

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description = "Presets journal and disk: folder on the disk to measure.")
  private Path folder;

  @Option(
      names = "--journal",
      paramLabel = "TEXT",
      description = "Preset journal: only variants whose names contain this text, such as classic.")
  private String journal = "";

  @Option(
      names = "--disk-seconds",
      paramLabel = "SECONDS",
      description =
          "Presets journal and disk: duration for each access method and block size; 0: the"
              + " disk is not measured (default: ${DEFAULT-VALUE}).")
  private double diskSeconds = 0.3;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write all results to this file: settings, machine, versions, each run.")
  private Path json;

  @Override
  public Integer call() throws Exception {
    BrokerMeasurement measurement;
    try {
      checkOptions();
      measurement = bench().run(commandLine());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    } catch (BrokerStartFailure e) {
      throw new LoadTestFailure(e.getMessage(), e);
    } catch (JMSException | NamingException e) {
      throw new LoadTestFailure("cannot measure the broker: " + e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(measurement.toText());
    out.flush();
    if (json != null) {
      measurement.write(json);
    }
    return measurement.complete() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void checkOptions() {
    boolean needsFolder = preset != null && preset.needsFolder();
    if (needsFolder && (folder == null || !Files.isDirectory(folder))) {
      throw new IllegalArgumentException(
          "--preset " + preset + " with --data " + folder + ": expected an existing folder");
    }
    if (!(diskSeconds >= 0 && diskSeconds <= MAX)) {
      throw new IllegalArgumentException(
          "--disk-seconds " + diskSeconds + ": expected seconds, 0 to " + MAX);
    }
    if (json != null && json.getParent() != null && !Files.isDirectory(json.getParent())) {
      throw new IllegalArgumentException(
          "--json " + json + ": expected a file in an existing folder");
    }
    for (int count : counts) {
      if (count < 1 || count > MAX) {
        throw new IllegalArgumentException(
            "--counts " + count + ": expected numbers from 1 to " + MAX);
      }
    }
  }

  private BrokerBench bench() {
    Persistence.Choice defaultDelivery =
        preset == null ? Persistence.Choice.BOTH : preset.delivery();
    PrintWriter progress = spec.commandLine().getErr();
    return new BrokerBench(
        preset,
        workload::over,
        delivery == null ? defaultDelivery : delivery,
        counts,
        journal,
        folder,
        Duration.ofMillis(Math.round(diskSeconds * MILLIS)),
        target.target(preset),
        length.length(),
        line -> {
          progress.println(line);
          progress.flush();
        });
  }

  private String commandLine() {
    List<String> arguments = spec.commandLine().getParseResult().originalArgs();
    return BrokerTarget.masked("sluice bench-broker " + String.join(" ", arguments));
  }
}
