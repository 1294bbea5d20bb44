package io.sluice.loadtest.abtest;

import io.sluice.loadtest.LoadRun;
import io.sluice.loadtest.abtest.BlockSchedule.Slot;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.RunOrigin;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A/B test of two systems, or A/A test of one: interleaved runs in blocks. Files are written after
 * each block. One thread runs it.
 */
public final class AbTest {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final AbTestPlan plan;
  private final UnaryOperator<String> label;
  private final Consumer<String> log;
  private final String name = "ab-test-" + TIME.format(Instant.now());
  private final Map<String, List<Measurement>> measurements = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();

  /**
   * Creates a test.
   *
   * @param label names a parameter of the load in errors as the user enters it
   * @param log receives one line per event
   */
  public AbTest(AbTestPlan plan, UnaryOperator<String> label, Consumer<String> log) {
    this.plan = plan;
    this.label = label;
    this.log = log;
  }

  /**
   * Runs all blocks.
   *
   * @throws IllegalArgumentException for an invalid parameter of the load
   * @throws IOException if a run could not be completed; the message names it. The files contain
   *     the blocks before.
   */
  public Result run() throws IOException, InterruptedException {
    new LoadRun(parameters(plan.a(), 0), label);
    Files.createDirectories(plan.folder());
    List<Slot> slots = BlockSchedule.of(plan.a(), plan.b(), plan.blocks(), plan.seed());
    log.accept("seed " + plan.seed() + ", " + plan.blocks() + " blocks of 2 runs");
    for (int i = 0; i < slots.size(); i++) {
      Slot slot = slots.get(i);
      try {
        measure(slot, i);
      } catch (IOException e) {
        throw new IOException(place(slot) + ": " + e.getMessage(), e);
      }
      if (slot.position() == 2) {
        write();
      }
    }
    return new Result(
        combined(plan.a()), combined(plan.b()), file(plan.a()), file(plan.b()), violations);
  }

  private void measure(Slot slot, int index) throws IOException, InterruptedException {
    SystemUnderTest system = slot.system();
    Path output = plan.folder().resolve(name + "-" + system.name() + ".log");
    try (SystemProcess process =
        SystemProcess.start(system, output, plan.startTimeout(), plan.stopTimeout())) {
      LoadRun.Result result =
          new LoadRun(parameters(system, index), label)
              .measure(new PrintStream(OutputStream.nullOutputStream()));
      if (!process.isAlive()) {
        throw new IOException("the system ended during the run; its output is in " + output);
      }
      add(slot, process, result);
    }
  }

  private void add(Slot slot, SystemProcess process, LoadRun.Result result) {
    Measurement measurement = result.measurement();
    MeasuredRun run = measurement.runs().get(0);
    SystemUnderTest system = slot.system();
    RunOrigin origin =
        new RunOrigin(
            name,
            system.name(),
            slot.block(),
            slot.position(),
            system.isRestarted(),
            process.identity(run.process()));
    List<Measurement> previous =
        measurements.computeIfAbsent(system.name(), absent -> new ArrayList<>());
    previous.add(with(measurement, List.of(run.with(previous.size() + 1, origin))));
    log.accept(place(slot) + ": " + RunText.of(run));
    for (String violation : result.violations()) {
      violations.add(place(slot) + ": " + violation);
      log.accept(place(slot) + ": FAILED CHECK " + violation);
    }
  }

  private Properties parameters(SystemUnderTest system, int index) {
    Properties all = new Properties();
    all.putAll(plan.load());
    all.setProperty("simulation", "A/B test");
    all.setProperty("url", system.url().toString());
    all.setProperty("metrics", system.metrics().map(Object::toString).orElse(""));
    all.setProperty("seed", Long.toString(Math.abs(plan.seed() + 1000L * index) % 1_000_000_000));
    return all;
  }

  private String place(Slot slot) {
    return "block %d of %d, system %s".formatted(slot.block(), plan.blocks(), slot.system().name());
  }

  private Path file(SystemUnderTest system) {
    return plan.folder().resolve(name + "-" + system.name() + ".json");
  }

  private void write() throws IOException {
    combined(plan.a()).write(file(plan.a()));
    combined(plan.b()).write(file(plan.b()));
  }

  private Measurement combined(SystemUnderTest system) {
    List<Measurement> all = measurements.get(system.name());
    return with(all.get(0), all.stream().flatMap(m -> m.runs().stream()).toList());
  }

  private Measurement with(Measurement measurement, List<MeasuredRun> runs) {
    Map<String, String> parameters = new TreeMap<>(measurement.parameters());
    parameters.put("seed", Long.toString(plan.seed()));
    return new Measurement(
        measurement.format(),
        measurement.simulation(),
        measurement.startedAt(),
        plan.command(),
        parameters,
        measurement.machine(),
        measurement.versions(),
        measurement.clock(),
        runs);
  }

  /**
   * Measurements of an A/B test. Immutable.
   *
   * @param baseline runs of system {@code a}
   * @param candidate runs of system {@code b}
   * @param violations failed checks, one line each
   */
  public record Result(
      Measurement baseline,
      Measurement candidate,
      Path baselineFile,
      Path candidateFile,
      List<String> violations) {}
}
