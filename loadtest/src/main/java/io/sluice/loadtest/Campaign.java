package io.sluice.loadtest;

import io.sluice.loadtest.Inspector.RunInspection;
import io.sluice.loadtest.gatewaymetrics.GatewaySampler;
import io.sluice.loadtest.gatewaymetrics.MetricsScraper;
import io.sluice.loadtest.report.Reports;
import io.sluice.loadtest.result.MachineDescription;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.Event;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.RunOrigin;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sequence of a simulation's runs, executed on the thread {@code campaign}. Non-private methods are
 * for any thread.
 *
 * <p>Gatling's users are the clients: they connect during the run returned by {@link #openRun} and
 * disconnect when its time has ended.
 */
final class Campaign {
  /** Name of the check that the campaign completed. */
  static final String MEASURED = "measurement";

  private static final long NANOS = 1_000_000_000L;
  private static final long POLL_MILLIS = 20;
  private static final Duration END_MARGIN = Duration.ofSeconds(1);

  private final LoadPlan plan;
  private final SimulationStrategy strategy;
  private final PrintStream out;
  private final Inspector inspector;
  private final Instant startedAt = Instant.now();
  private final List<RunInspection> inspections = new CopyOnWriteArrayList<>();
  private ClockProbe.Result gateway = new ClockProbe.Result(null, "");
  private String process = "";
  private volatile ActiveRun activeRun;
  private volatile String failure = "";
  private volatile boolean over;

  Campaign(LoadPlan plan, SimulationStrategy strategy, PrintStream out) {
    this.plan = plan;
    this.strategy = strategy;
    this.out = out;
    this.inspector = new Inspector(plan.objectives(), plan.tolerance());
  }

  /** Starts the campaign's thread. */
  void start() {
    new Thread(this::runAll, "campaign").start();
  }

  boolean isOver() {
    return over;
  }

  /** Returns the run whose measured clients may connect now, or null. */
  ActiveRun openRun() {
    ActiveRun present = activeRun;
    return present == null || present.time().hasBegun() ? null : present;
  }

  /** Returns the run in progress, or null. */
  ActiveRun startedRun() {
    ActiveRun present = activeRun;
    return present != null && present.time().hasBegun() ? present : null;
  }

  /** Handles a text frame of an unidentified measured client with the binary encoding. */
  void onControl(String frame) {
    ActiveRun present = activeRun;
    if (present != null) {
      present.onControl(frame, Span.unixNanos());
    }
  }

  /** Handles a text frame of an unidentified transient client with the binary encoding. */
  void onTransientControl(String frame) {
    ActiveRun present = activeRun;
    if (present != null && ControlFrame.isOfType(frame, "gap")) {
      present.transientClients().onGap();
    }
  }

  /** Returns the names of all checks. */
  List<String> checks() {
    List<String> names = new ArrayList<>(List.of(MEASURED));
    names.addAll(inspector.names());
    return names;
  }

  /** Returns the violations of one check in all runs; empty if it passed. */
  String violation(String check) {
    if (check.equals(MEASURED)) {
      return failure;
    }
    return failing()
        .filter(inspection -> inspection.violations().containsKey(check))
        .map(
            inspection ->
                "run " + inspection.run().number() + ": " + inspection.violations().get(check))
        .collect(Collectors.joining("; "));
  }

  private Stream<RunInspection> failing() {
    return inspections.stream().filter(strategy::isFailure);
  }

  /**
   * Measures all runs on the calling thread, without reports.
   *
   * @throws CampaignFailure if the simulation could not be completed
   */
  Measurement measure() throws IOException, InterruptedException, CampaignFailure {
    probeClock();
    probeProcess();
    runSteps();
    return measurement();
  }

  /** Returns the violations of all checks in all runs, one line each. */
  List<String> violations() {
    return checks().stream()
        .map(check -> violation(check).isEmpty() ? "" : check + ": " + violation(check))
        .filter(line -> !line.isEmpty())
        .toList();
  }

  private void runAll() {
    plan.given().all().forEach((name, value) -> out.println("-D" + name + "=" + value));
    try {
      measure();
    } catch (CampaignFailure | IOException e) {
      failure = e.getMessage();
    } catch (InterruptedException e) {
      failure = "interrupted";
    } catch (RuntimeException e) {
      failure = "internal error of the load test: " + e;
      e.printStackTrace(out);
    } finally {
      report();
      over = true;
    }
  }

  private void probeClock() throws InterruptedException {
    try {
      gateway = ClockProbe.probe(plan.target(), plan.timing().timeout());
    } catch (IOException e) {
      out.println("the gateway's clock offset is unknown: " + e.getMessage());
    }
  }

  private void probeProcess() throws InterruptedException {
    if (plan.metrics().isEmpty()) {
      return;
    }
    try {
      process =
          new MetricsScraper(plan.metrics().get())
              .processStart()
              .map(start -> plan.target().url() + " started " + start)
              .orElse("");
    } catch (IOException e) {
      out.println("the gateway's process is unknown: " + e.getMessage());
    }
  }

  private void runSteps() throws IOException, InterruptedException, CampaignFailure {
    if (!plan.needsLoadGenerators()) {
      runSteps(null);
      return;
    }
    Duration limit = plan.timing().connected();
    LoadProfile widest = plan.steps().get(plan.steps().size() - 1);
    double rate = widest.clients() / Math.max(0.1, plan.timing().ramp().toMillis() / 1000.0);
    try (LoadGenerators generators =
        LoadGenerators.start(plan.target(), plan.processes(), widest.topics(), rate, limit)) {
      runSteps(generators);
    }
  }

  private void runSteps(LoadGenerators generators)
      throws IOException, InterruptedException, CampaignFailure {
    for (LoadProfile load : plan.steps()) {
      for (int i = 0; i < plan.runs(); i++) {
        RunInspection inspection = measure(inspections.size() + 1, load, generators);
        inspections.add(inspection);
        out.print(Summary.of(inspection.run()).toText());
        inspection.violations().forEach((name, violation) -> out.println(name + ": " + violation));
        if (!strategy.continuesAfter(inspection)) {
          return;
        }
      }
    }
  }

  private RunInspection measure(int number, LoadProfile load, LoadGenerators generators)
      throws IOException, InterruptedException, CampaignFailure {
    strategy.prepare(load);
    int clients = generators == null ? 0 : strategy.initialGeneratedClients(load);
    if (plan.position() == ClientPosition.LAST) {
      subscribe(number, clients, generators);
    }
    activeRun = open(number, load, clients);
    strategy.connect(activeRun);
    if (plan.position() == ClientPosition.FIRST) {
      awaitClients();
    }
    if (plan.position() != ClientPosition.LAST) {
      subscribe(number, clients, generators);
    }
    awaitClients();
    long now = Span.unixNanos();
    Span span = new Span(now, now + plan.timing().run().toNanos());
    List<Event> events = new CopyOnWriteArrayList<>();
    long start = System.nanoTime();
    List<GatewaySample> samples;
    try (GatewaySampler sampler = sampler(start)) {
      activeRun.time().begin(span);
      watch(start, generators, events);
      samples = sampler == null ? List.of() : sampler.samples();
    }
    awaitEnd();
    MeasuredRun run =
        new RunReader(activeRun, plan.timing())
            .read(
                gateway.clock(), samples, events, generators == null ? null : generators::between);
    int expected = generators == null ? 0 : strategy.generatedClients(load);
    return inspector.inspect(run, activeRun, expected);
  }

  private void subscribe(int number, int clients, LoadGenerators generators)
      throws IOException, InterruptedException {
    if (generators == null) {
      return;
    }
    Duration duration = Duration.ZERO;
    if (plan.position() != ClientPosition.LAST && clients >= generators.subscribed()) {
      // Only new connections can follow measured clients.
      duration = generators.reconnect();
    }
    duration = duration.plus(generators.resize(clients));
    out.println(
        "run %d: %d load generator clients subscribed after %s"
            .formatted(number, clients, LoadGenerators.seconds(duration)));
  }

  private ActiveRun open(int number, LoadProfile load, int generated) {
    Duration ramp = plan.timing().ramp();
    int widest = plan.steps().get(plan.steps().size() - 1).clients();
    boolean interleaved = generated > 0 && plan.position() == ClientPosition.RANDOM;
    Duration spread = interleaved ? ramp.multipliedBy(generated).dividedBy(widest) : ramp;
    return new ActiveRun(
        number,
        load,
        plan.target().prefix(),
        strategy.arrivals(number, plan.timing()),
        plan.position().delays(load.measured(), spread, plan.seed() + number));
  }

  private GatewaySampler sampler(long start) {
    return plan.metrics()
        .map(url -> GatewaySampler.start(new MetricsScraper(url), start, out::println))
        .orElse(null);
  }

  private void awaitClients() throws InterruptedException, CampaignFailure {
    Duration limit = plan.timing().ramp().plus(plan.timing().timeout().multipliedBy(2));
    awaitUntil(activeRun::areAllReceivingOrFailed, limit);
    List<String> failures = activeRun.failures();
    if (activeRun.clients().stream()
        .anyMatch(client -> client.isReceiving() && !client.hasDisconnected())) {
      return;
    }
    boolean subscribed = activeRun.clients().stream().anyMatch(c -> c.connectMicros() >= 0);
    throw new CampaignFailure(
        subscribed
            ? "no message was received within %d s; check that a feed publishes to the topics %s0 to %s%d"
                .formatted(
                    plan.timing().timeout().toSeconds(),
                    plan.target().prefix(),
                    plan.target().prefix(),
                    activeRun.load().topics() - 1)
            : "no client was subscribed at %s%s"
                .formatted(plan.target().url(), failures.isEmpty() ? "" : ": " + failures.get(0)));
  }

  /** Prints a progress line every second until the run ends. */
  private void watch(long start, LoadGenerators generators, List<Event> events)
      throws InterruptedException, CampaignFailure {
    CompletableFuture<Void> disturbance = CompletableFuture.completedFuture(null);
    long warmUp = plan.timing().warmUp().toSeconds();
    for (int second = 0; second < plan.timing().run().toSeconds(); second++) {
      if (second == warmUp && generators != null) {
        disturbance = disturb(start, generators, events);
      }
      TimeUnit.NANOSECONDS.sleep(start + (second + 1) * NANOS - System.nanoTime());
      int clients = activeRun.load().measured() + (generators == null ? 0 : generators.open());
      out.println(activeRun.progress().line(second + 1, clients));
    }
    try {
      // A connection storm may exceed its run; the load generators' commands have a time limit.
      disturbance.join();
    } catch (CompletionException e) {
      throw new CampaignFailure(e.getCause().getMessage());
    }
  }

  private CompletableFuture<Void> disturb(
      long start, LoadGenerators generators, List<Event> events) {
    LoadProfile load = activeRun.load();
    double begin = second(start);
    return CompletableFuture.runAsync(
        () -> {
          try {
            Duration duration = strategy.disturb(generators, load);
            if (duration != null) {
              events.add(
                  new Event(begin, "reconnect", "all load generator clients connect at once"));
              String text = "all are subscribed after " + LoadGenerators.seconds(duration);
              events.add(new Event(second(start), "reconnect", text));
              out.println(text);
            }
          } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e.getMessage(), e);
          }
        });
  }

  private static double second(long start) {
    return (double) (System.nanoTime() - start) / NANOS;
  }

  /**
   * Waits until all clients have disconnected. A client detects the end of its time when it
   * receives the next message.
   */
  private void awaitEnd() throws InterruptedException {
    awaitUntil(activeRun::areAllDisconnected, plan.timing().timeout().plus(END_MARGIN));
  }

  private static void awaitUntil(BooleanSupplier condition, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private void report() {
    try {
      if (!inspections.isEmpty()) {
        Reports.write(measurement(), plan.folder()).forEach(out::println);
      }
    } catch (IOException | IllegalArgumentException e) {
      failure = "cannot write the report: " + e.getMessage();
    }
    for (String check : checks()) {
      String violation = violation(check);
      if (!violation.isEmpty()) {
        out.println("FAILED " + check + ": " + violation);
      }
    }
  }

  private Measurement measurement() {
    List<MeasuredRun> runs =
        inspections.stream()
            .map(RunInspection::run)
            .map(run -> run.with(run.number(), RunOrigin.of(process)))
            .toList();
    return new Measurement(
        Measurement.FORMAT,
        plan.simulation(),
        startedAt,
        command(plan.given().program(plan.simulation()), plan.given().given()),
        plan.given().all(),
        MachineDescription.here(),
        MachineDescription.versions(gateway.version()),
        gateway.clock(),
        runs);
  }

  static String command(String program, Map<String, String> given) {
    StringBuilder command = new StringBuilder(program);
    given.forEach(
        (name, value) -> command.append(" -D").append(name).append('=').append(quoted(value)));
    return command.toString();
  }

  private static String quoted(String value) {
    return value.matches("[\\w./:,@%+=-]*") ? value : "'" + value.replace("'", "'\\''") + "'";
  }
}
