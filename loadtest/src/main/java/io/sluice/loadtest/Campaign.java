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
 * The runs of a simulation, one after the other, on a thread of its own. Its clients are others'
 * (Gatling's users): they ask for the {@link #open} stage, join it, and leave when its time is
 * over. What is not said to be the thread's own is for any thread.
 */
final class Campaign {
  /** The name under which it is told that the campaign came to an end at all. */
  static final String MEASURED = "measurement";

  private static final long NANOS = 1_000_000_000L;
  private static final long LOOK_MILLIS = 20;
  private static final Duration SHORT = Duration.ofSeconds(1);

  private final LoadPlan plan;
  private final Course course;
  private final PrintStream out;
  private final Inspector inspector;
  private final Instant startedAt = Instant.now();
  private final List<RunInspection> findings = new CopyOnWriteArrayList<>();
  private ClockProbe.Answer gateway = new ClockProbe.Answer(null, "");
  private volatile ActiveRun stage;
  private volatile String failure = "";
  private volatile boolean over;

  Campaign(LoadPlan plan, Course course, PrintStream out) {
    this.plan = plan;
    this.course = course;
    this.out = out;
    this.inspector = new Inspector(plan.objectives(), plan.tolerance());
  }

  /** Begins. */
  void start() {
    new Thread(this::runAll, "campaign").start();
  }

  boolean isOver() {
    return over;
  }

  /** The stage whose clients are to come now; null if there is none. */
  ActiveRun open() {
    ActiveRun present = stage;
    return present == null || present.time().hasBegun() ? null : present;
  }

  /** The stage that goes on; null if there is none. */
  ActiveRun running() {
    ActiveRun present = stage;
    return present != null && present.time().hasBegun() ? present : null;
  }

  /** Takes a text frame of whichever measured client of the binary encoding. */
  void onControl(String frame) {
    ActiveRun present = stage;
    if (present != null) {
      present.onControl(frame, Span.unixNanos());
    }
  }

  /** Takes a text frame of whichever client of the binary encoding that only comes and goes. */
  void onControlOfVisitor(String frame) {
    ActiveRun present = stage;
    if (present != null && ControlFrame.isOfType(frame, "gap")) {
      present.visitors().onGap();
    }
  }

  /** All that is looked at, by name. */
  List<String> checks() {
    List<String> names = new ArrayList<>(List.of(MEASURED));
    names.addAll(inspector.names());
    return names;
  }

  /** What is wrong with all of the runs together, for one name; empty if it is in order. */
  String complaint(String check) {
    if (check.equals(MEASURED)) {
      return failure;
    }
    return failing()
        .filter(finding -> finding.complaints().containsKey(check))
        .map(finding -> "run " + finding.run().number() + ": " + finding.complaints().get(check))
        .collect(Collectors.joining("; "));
  }

  private Stream<RunInspection> failing() {
    return findings.stream().filter(course::isFailure);
  }

  private void runAll() {
    plan.given().all().forEach((name, value) -> out.println("-D" + name + "=" + value));
    try {
      askGateway();
      perform();
    } catch (CampaignFailure | IOException e) {
      failure = e.getMessage();
    } catch (InterruptedException e) {
      failure = "interrupted";
    } catch (RuntimeException e) {
      failure = "a bug of the load test: " + e;
      e.printStackTrace(out);
    } finally {
      tell();
      over = true;
    }
  }

  private void askGateway() throws InterruptedException {
    try {
      gateway = ClockProbe.ask(plan.target(), plan.timing().patience());
    } catch (IOException e) {
      out.println("the gateway's clock is not known: " + e.getMessage());
    }
  }

  private void perform() throws IOException, InterruptedException, CampaignFailure {
    if (!plan.needsLoadGenerators()) {
      perform(null);
      return;
    }
    Duration limit = plan.timing().connected();
    LoadProfile widest = plan.steps().get(plan.steps().size() - 1);
    double rate = widest.clients() / Math.max(0.1, plan.timing().ramp().toMillis() / 1000.0);
    try (LoadGenerators generators =
        LoadGenerators.start(plan.target(), plan.processes(), widest.topics(), rate, limit)) {
      perform(generators);
    }
  }

  private void perform(LoadGenerators generators)
      throws IOException, InterruptedException, CampaignFailure {
    for (LoadProfile load : plan.steps()) {
      for (int i = 0; i < plan.runs(); i++) {
        RunInspection finding = perform(findings.size() + 1, load, generators);
        findings.add(finding);
        out.print(Summary.of(finding.run()).toText());
        finding.complaints().forEach((name, complaint) -> out.println(name + ": " + complaint));
        if (!course.goesOn(finding)) {
          return;
        }
      }
    }
  }

  private RunInspection perform(int number, LoadProfile load, LoadGenerators generators)
      throws IOException, InterruptedException, CampaignFailure {
    course.prepare(load);
    if (generators != null) {
      int clients = course.crowdAtStart(load);
      out.println(
          "run %d: %d load generator clients subscribed after %s"
              .formatted(number, clients, LoadGenerators.seconds(generators.resize(clients))));
    }
    stage =
        new ActiveRun(number, load, plan.target().prefix(), course.visits(number, plan.timing()));
    awaitClients();
    long now = Span.unixNanos();
    Span span = new Span(now, now + plan.timing().run().toNanos());
    List<Event> events = new CopyOnWriteArrayList<>();
    long start = System.nanoTime();
    List<GatewaySample> samples;
    try (GatewaySampler sampler = sampler(start)) {
      stage.time().begin(span);
      watch(start, generators, events);
      samples = sampler == null ? List.of() : sampler.samples();
    }
    awaitEnd();
    MeasuredRun run =
        new RunReader(stage, plan.timing())
            .read(
                gateway.clock(), samples, events, generators == null ? null : generators::between);
    int expected = generators == null ? 0 : course.crowd(load);
    return inspector.inspect(run, stage, expected);
  }

  private GatewaySampler sampler(long start) {
    return plan.metrics()
        .map(url -> GatewaySampler.start(new MetricsScraper(url), start, out::println))
        .orElse(null);
  }

  private void awaitClients() throws InterruptedException, CampaignFailure {
    Duration limit = plan.timing().ramp().plus(plan.timing().patience().multipliedBy(2));
    awaitUntil(stage::isComplete, limit);
    List<String> failures = stage.failures();
    if (stage.clients().stream().anyMatch(client -> client.isReceiving() && !client.hasLeft())) {
      return;
    }
    boolean subscribed = stage.clients().stream().anyMatch(c -> c.connectMicros() >= 0);
    throw new CampaignFailure(
        subscribed
            ? "no message came within %d s: is a feed running on the topics %s0 to %s%d?"
                .formatted(
                    plan.timing().patience().toSeconds(),
                    plan.target().prefix(),
                    plan.target().prefix(),
                    stage.load().topics() - 1)
            : "no client got a subscription at %s%s"
                .formatted(plan.target().url(), failures.isEmpty() ? "" : ": " + failures.get(0)));
  }

  /** A line a second, until the run is over. */
  private void watch(long start, LoadGenerators generators, List<Event> events)
      throws InterruptedException, CampaignFailure {
    CompletableFuture<Void> disturbance = CompletableFuture.completedFuture(null);
    long warmUp = plan.timing().warmUp().toSeconds();
    for (int second = 0; second < plan.timing().run().toSeconds(); second++) {
      if (second == warmUp && generators != null) {
        disturbance = disturb(start, generators, events);
      }
      TimeUnit.NANOSECONDS.sleep(start + (second + 1) * NANOS - System.nanoTime());
      int clients = stage.load().measured() + (generators == null ? 0 : generators.open());
      out.println(stage.progress().line(second + 1, clients));
    }
    try {
      // Storms may last longer than their run; the wait for the load generators is limited.
      disturbance.join();
    } catch (CompletionException e) {
      throw new CampaignFailure(e.getCause().getMessage());
    }
  }

  private CompletableFuture<Void> disturb(
      long start, LoadGenerators generators, List<Event> events) {
    LoadProfile load = stage.load();
    double begin = second(start);
    return CompletableFuture.runAsync(
        () -> {
          try {
            Duration took = course.disturb(generators, load);
            if (took != null) {
              events.add(
                  new Event(begin, "reconnect", "all load generator clients connect at once"));
              String text = "all are subscribed, after " + LoadGenerators.seconds(took);
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

  /** The next message tells each client that its time is over. */
  private void awaitEnd() throws InterruptedException {
    awaitUntil(stage::isEmpty, plan.timing().patience().plus(SHORT));
  }

  private static void awaitUntil(BooleanSupplier condition, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  private void tell() {
    try {
      if (!findings.isEmpty()) {
        Reports.write(measurement(), plan.folder()).forEach(out::println);
      }
    } catch (IOException | IllegalArgumentException e) {
      failure = "the report cannot be written: " + e.getMessage();
    }
    for (String check : checks()) {
      String complaint = complaint(check);
      if (!complaint.isEmpty()) {
        out.println("FAILED " + check + ": " + complaint);
      }
    }
  }

  private Measurement measurement() {
    List<MeasuredRun> runs = findings.stream().map(RunInspection::run).toList();
    return new Measurement(
        Measurement.FORMAT,
        plan.simulation(),
        startedAt,
        command(plan.simulation(), plan.given().given()),
        plan.given().all(),
        MachineDescription.here(),
        MachineDescription.versions(gateway.version()),
        gateway.clock(),
        runs);
  }

  static String command(String simulation, Map<String, String> given) {
    StringBuilder command =
        new StringBuilder(
            "mvn -pl loadtest gatling:test -Dgatling.simulationClass=io.sluice.loadtest."
                + simulation);
    given.forEach(
        (name, value) -> command.append(" -D").append(name).append('=').append(quoted(value)));
    return command.toString();
  }

  private static String quoted(String value) {
    return value.matches("[\\w./:,@%+=-]*") ? value : "'" + value.replace("'", "'\\''") + "'";
  }
}
