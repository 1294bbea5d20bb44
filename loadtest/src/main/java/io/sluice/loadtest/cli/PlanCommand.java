package io.sluice.loadtest.cli;

import io.sluice.loadtest.model.ClusterPlan;
import io.sluice.loadtest.model.ClusterPlanner;
import io.sluice.loadtest.model.NodeModel;
import io.sluice.loadtest.model.PlanInput;
import io.sluice.loadtest.plan.ClientWorkload;
import io.sluice.loadtest.plan.Plan;
import io.sluice.loadtest.plan.Planner;
import io.sluice.loadtest.plan.Planner.CapacityTarget;
import io.sluice.loadtest.plan.Planner.NetworkCost;
import io.sluice.loadtest.plan.RunIndependence;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Command that calculates the number of nodes for a number of clients. Used by the main thread
 * only.
 */
@Command(
    name = "plan",
    header = "Calculate the number of nodes for a number of clients, and their resource usage.",
    description = {
      "The basis is a model of nodes and broker, which is fitted to recorded runs. With measurements"
          + " of one node and --p99, or a given capacity with --per-node, the basis is these, and"
          + " the options of the model are not available. Prints Markdown."
    },
    exitCodeListHeading = MeasurementHelp.EXIT_CODES,
    exitCodeList = {
      "0:the plan was printed",
      "1:a measurement or recorded run is unusable, or the planned nodes or broker do not suffice",
      MeasurementHelp.INVALID_COMMAND_LINE
    },
    footerHeading = MeasurementHelp.EXAMPLE,
    footer = "  sluice plan --clients 1000000 --tls --sites 2",
    mixinStandardHelpOptions = true)
final class PlanCommand implements Callable<Integer> {
  private static final double DEFAULT_HEADROOM = 30;
  private static final double DEFAULT_COMPRESSION_MICROS = 8;

  @Spec private CommandSpec spec;

  private Optional<String> accepted = Optional.empty();

  @Parameters(
      paramLabel = "FILE.json",
      arity = "0..*",
      description = "Measurements of one node with several load steps, such as those of Ramp.")
  private List<Path> files = List.of();

  @Option(
      names = "--clients",
      paramLabel = "N",
      required = true,
      description = "Total number of clients.")
  private long clients;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Messages per second per client (default: as measured; model: 10).")
  private Double rate;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Payload of a message in bytes (default: as measured; model: 512).")
  private Double size;

  @Option(
      names = "--topics",
      paramLabel = "N",
      description = "Number of topics (default: as measured; model: 100).")
  private Double topics;

  @Option(
      names = "--p99",
      paramLabel = "MILLIS",
      description = "Upper limit of the p99 latency since due; required with measurements.")
  private Double p99;

  @Option(
      names = "--headroom",
      paramLabel = "PERCENT",
      description =
          "Reserved part of a node's capacity, in the model of CPU, memory and network"
              + " (default: 30; 0 with --per-node; model: 40).")
  private Double headroom;

  @Option(
      names = "--spare",
      paramLabel = "NODES",
      description = "Number of nodes that may fail (default: 1; 0 with --per-node).")
  private Integer spare;

  @Option(
      names = "--per-node",
      paramLabel = "CLIENTS",
      description = "Clients per node, instead of measurements.")
  private Long perNode;

  @Option(
      names = "--broker-rate",
      paramLabel = "RATE",
      description =
          "Messages per second from the broker to each node (default: topics times rate).")
  private Double brokerRate;

  @Option(
      names = "--broker-bytes",
      paramLabel = "BYTES",
      description = "Size of a message on the wire from the broker (default: its payload only).")
  private Double brokerBytes;

  @Option(
      names = "--client-bytes",
      paramLabel = "BYTES",
      description = "Size of a message on the wire to a client (default: as measured).")
  private Double clientBytes;

  @Option(
      names = "--compressed",
      paramLabel = "PERCENT",
      description =
          "Size of a compressed message in percent of its size without compression: the ratio of"
              + " sluice_compression_after_bytes_total to sluice_compression_before_bytes_total."
              + " For measurements of clients without compression (default: no compression).")
  private Double compressed;

  @Option(
      names = "--compression-micros",
      paramLabel = "MICROS",
      description = "CPU time of a message's compression (default: ${DEFAULT-VALUE}).")
  private double compressionMicros = DEFAULT_COMPRESSION_MICROS;

  @Mixin private PlanModelOptions model;

  @Option(
      names = RunIndependence.OPTION,
      description =
          "Accept load steps with a single run, or with runs of one gateway process. Their"
              + " intervals apply to this run or process only.")
  private boolean acceptOneProcess;

  @Override
  public Integer call() {
    check();
    PrintWriter out = spec.commandLine().getOut();
    if (files.isEmpty() && perNode == null) {
      ClusterPlan plan = modelPlan();
      out.print(plan.toMarkdown());
      out.flush();
      return plan.isSufficient() ? ExitCode.OK : ExitCode.FAILED;
    }
    out.print(plan().toMarkdown());
    accepted.ifPresent(violation -> out.print("- Accepted: " + violation + ".\n"));
    out.flush();
    return ExitCode.OK;
  }

  private void check() {
    if (!files.isEmpty() && perNode != null) {
      throw invalid("expected either measurement files or --per-node");
    }
    boolean usesModel = files.isEmpty() && perNode == null;
    if (usesModel && p99 != null) {
      throw invalid("--p99 requires measurement files, because the model has no latencies");
    }
    if (!usesModel && model.firstGiven() != null) {
      throw invalid(
          model.firstGiven() + " requires the model: expected neither files nor --per-node");
    }
    if (!files.isEmpty() && p99 == null) {
      throw invalid("missing --p99, the upper limit of the measured latency");
    }
    requireAtLeast("--clients", clients, 1);
    requireAtLeast("--per-node", perNode, 1);
    requireAtLeast("--spare", spare, 0);
    requireAtLeast("--headroom", headroom, 0);
    if (headroom != null && !(headroom < 100)) {
      throw invalid("--headroom " + headroom + ": must be below 100");
    }
    requirePositive("--rate", rate);
    requirePositive("--size", size);
    requirePositive("--topics", topics);
    requirePositive("--p99", p99);
    requireAtLeast("--broker-rate", brokerRate, 0);
    requireAtLeast("--broker-bytes", brokerBytes, 0);
    requireAtLeast("--client-bytes", clientBytes, 0);
    requirePositive("--compressed", compressed);
    requireAtLeast("--compression-micros", compressionMicros, 0);
  }

  private ClusterPlan modelPlan() {
    Map<PlanInput, Double> given = model.given();
    PlanModelOptions.put(given, PlanInput.RATE, rate);
    PlanModelOptions.put(given, PlanInput.PAYLOAD, size);
    PlanModelOptions.put(given, PlanInput.TOPICS, topics);
    PlanModelOptions.put(given, PlanInput.COMPRESSED, compressed);
    if (compressionMicros != DEFAULT_COMPRESSION_MICROS) {
      given.put(PlanInput.COMPRESSION_MICROS, compressionMicros);
    }
    PlanModelOptions.put(given, PlanInput.HEADROOM, headroom);
    PlanModelOptions.put(given, PlanInput.SPARE, spare == null ? null : spare.doubleValue());
    PlanModelOptions.put(given, PlanInput.BROKER_RATE, brokerRate);
    PlanModelOptions.put(given, PlanInput.BROKER_BYTES, brokerBytes);
    PlanModelOptions.put(given, PlanInput.FRAME_BYTES, clientBytes);
    try {
      NodeModel fitted = model.runs == null ? NodeModel.included() : NodeModel.read(model.runs);
      return ClusterPlanner.plan(fitted, clients, model.tls, given);
    } catch (IllegalArgumentException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    } catch (IOException e) {
      throw new LoadTestFailure("cannot read the recorded runs: " + e.getMessage(), e);
    }
  }

  private Plan plan() {
    NetworkCost network =
        new NetworkCost(
            orZero(brokerRate),
            orZero(brokerBytes),
            orZero(clientBytes),
            compressed == null ? 0 : compressed / 100,
            compressionMicros);
    if (perNode != null) {
      return Planner.stated(perNode, target(List.of(), 0, 0), network);
    }
    List<Measurement> measurements = files.stream().map(CompareCommand::read).toList();
    accepted = RunIndependence.violation(measurements);
    if (accepted.isPresent() && !acceptOneProcess) {
      throw new LoadTestFailure(
          accepted.get()
              + ". Measure each step at least twice, restart the gateway in between, and give all"
              + " files, measured with the gateway's metrics; or accept it with "
              + RunIndependence.OPTION);
    }
    try {
      return Planner.measured(measurements, target(measurements, DEFAULT_HEADROOM, 1), network);
    } catch (IllegalArgumentException e) {
      throw new LoadTestFailure(e.getMessage(), e);
    }
  }

  private CapacityTarget target(
      List<Measurement> measurements, double defaultHeadroom, int defaultSpare) {
    ClientWorkload workload =
        new ClientWorkload(
            orMeasured("--rate", rate, measurements, LoadProfile::rate),
            orMeasured("--size", size, measurements, LoadProfile::payloadBytes),
            orMeasured("--topics", topics, measurements, LoadProfile::topics));
    return new CapacityTarget(
        clients,
        workload,
        p99 == null ? Double.NaN : p99,
        (headroom == null ? defaultHeadroom : headroom) / 100,
        spare == null ? defaultSpare : spare);
  }

  /** Returns the given value, or otherwise the value of all runs; NaN without runs. */
  private double orMeasured(
      String option,
      Double given,
      List<Measurement> measurements,
      ToDoubleFunction<LoadProfile> part) {
    if (given != null) {
      return given;
    }
    double[] measured =
        measurements.stream()
            .flatMap(measurement -> measurement.runs().stream())
            .mapToDouble(run -> part.applyAsDouble(run.load()))
            .distinct()
            .toArray();
    if (measured.length > 1) {
      throw invalid("missing " + option + ": the measurements have several values");
    }
    return measured.length == 0 ? Double.NaN : measured[0];
  }

  private static double orZero(Double value) {
    return value == null ? 0 : value;
  }

  private void requirePositive(String option, Double value) {
    if (value != null && !(value > 0 && Double.isFinite(value))) {
      throw invalid(option + " " + value + ": must be above 0");
    }
  }

  private void requireAtLeast(String option, Number value, int min) {
    if (value != null && !(value.doubleValue() >= min)) {
      throw invalid(option + " " + value + ": must be at least " + min);
    }
  }

  private ParameterException invalid(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
