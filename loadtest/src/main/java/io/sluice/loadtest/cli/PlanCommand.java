package io.sluice.loadtest.cli;

import io.sluice.loadtest.plan.ClientWorkload;
import io.sluice.loadtest.plan.Plan;
import io.sluice.loadtest.plan.Planner;
import io.sluice.loadtest.plan.Planner.CapacityTarget;
import io.sluice.loadtest.plan.Planner.NetworkCost;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says how many nodes a number of clients needs. */
@Command(
    name = "plan",
    description = {
      "Says how many nodes a number of clients needs, and what these use; prints Markdown.",
      "It rests on measurements of one node, or on a stated capacity (--per-node)."
    },
    mixinStandardHelpOptions = true)
final class PlanCommand implements Callable<Integer> {
  private static final double DEFAULT_HEADROOM = 30;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE.json",
      arity = "0..*",
      description = "Measurements of one node with several steps of load, such as those of Ramp.")
  private List<Path> files = List.of();

  @Option(names = "--clients", required = true, description = "In all.")
  private long clients;

  @Option(
      names = "--rate",
      description = "Messages a second for each client; default that measured.")
  private Double rate;

  @Option(names = "--size", description = "Payload of a message in bytes; default that measured.")
  private Double size;

  @Option(names = "--topics", description = "How many; default as many as measured.")
  private Double topics;

  @Option(
      names = "--p99",
      paramLabel = "MILLIS",
      description = "What the p99 of the latency since sent has to stay below.")
  private Double p99;

  @Option(
      names = "--headroom",
      paramLabel = "PERCENT",
      description = "Part of a node's capacity that stays free; default 30, 0 with --per-node.")
  private Double headroom;

  @Option(
      names = "--spare",
      paramLabel = "NODES",
      description = "Nodes that may fail; default 1, 0 with --per-node.")
  private Integer spare;

  @Option(
      names = "--per-node",
      paramLabel = "CLIENTS",
      description = "Clients that a node carries, instead of measurements.")
  private Long perNode;

  @Option(
      names = "--broker-rate",
      paramLabel = "RATE",
      description = "Messages a second from the broker to each node; default topics times rate.")
  private double brokerRate;

  @Option(
      names = "--broker-bytes",
      paramLabel = "BYTES",
      description = "Of a message on the wire from the broker; default its payload alone.")
  private double brokerBytes;

  @Option(
      names = "--client-bytes",
      paramLabel = "BYTES",
      description = "Of a message on the wire to a client; default as measured.")
  private double clientBytes;

  @Override
  public Integer call() {
    check();
    PrintWriter out = spec.commandLine().getOut();
    out.print(plan().toMarkdown());
    out.flush();
    return ExitCode.OK;
  }

  private void check() {
    if (files.isEmpty() == (perNode == null)) {
      throw wrong("either measurements are needed or --per-node");
    }
    if (!files.isEmpty() && p99 == null) {
      throw wrong("--p99 is missing: what the measured latencies have to stay below");
    }
    atLeast("--clients", clients, 1);
    atLeast("--per-node", perNode, 1);
    atLeast("--spare", spare, 0);
    atLeast("--headroom", headroom, 0);
    if (headroom != null && !(headroom < 100)) {
      throw wrong("--headroom should be below 100, not " + headroom);
    }
    above0("--rate", rate);
    above0("--size", size);
    above0("--topics", topics);
    above0("--p99", p99);
    atLeast("--broker-rate", brokerRate, 0);
    atLeast("--broker-bytes", brokerBytes, 0);
    atLeast("--client-bytes", clientBytes, 0);
  }

  private Plan plan() {
    NetworkCost wire = new NetworkCost(brokerRate, brokerBytes, clientBytes);
    if (perNode != null) {
      return Planner.stated(perNode, target(List.of(), 0, 0), wire);
    }
    List<Measurement> measurements = files.stream().map(CompareCommand::read).toList();
    try {
      return Planner.measured(measurements, target(measurements, DEFAULT_HEADROOM, 1), wire);
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

  /** What was stated, otherwise what all runs had; NaN if there are none. */
  private double orMeasured(
      String option,
      Double stated,
      List<Measurement> measurements,
      ToDoubleFunction<LoadProfile> part) {
    if (stated != null) {
      return stated;
    }
    double[] measured =
        measurements.stream()
            .flatMap(measurement -> measurement.runs().stream())
            .mapToDouble(run -> part.applyAsDouble(run.load()))
            .distinct()
            .toArray();
    if (measured.length > 1) {
      throw wrong(option + " is missing: several were measured");
    }
    return measured.length == 0 ? Double.NaN : measured[0];
  }

  private void above0(String option, Double value) {
    if (value != null && !(value > 0 && Double.isFinite(value))) {
      throw wrong(option + " should be above 0, not " + value);
    }
  }

  private void atLeast(String option, Number value, int least) {
    if (value != null && !(value.doubleValue() >= least)) {
      throw wrong(option + " should be " + least + " or more, not " + value);
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
