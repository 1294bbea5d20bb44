package io.sluice.loadtest;

import io.sluice.loadtest.report.LatencyMetric;
import io.sluice.loadtest.report.SteadyState;
import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.statistics.Intervals;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Short text about a run for the console; the report contains the details. Immutable, for any
 * thread.
 */
record Summary(MeasuredRun run) {
  private static final double MICROS_PER_MILLI = 1000;
  private static final double MICROS = 1e6;
  private static final double MEBIBYTE = 1024.0 * 1024;

  static Summary of(MeasuredRun run) {
    return new Summary(run);
  }

  /** Returns the lines, each terminated. */
  String toText() {
    StringBuilder text = new StringBuilder();
    LoadProfile load = run.load();
    line(
        text,
        "run %d: %d clients, %d of them measured, %d topics x %s/s x %d B; %d s after %d s of"
            + " warm-up%s",
        run.number(),
        load.clients(),
        load.measured(),
        load.topics(),
        load.rate(),
        load.payloadBytes(),
        run.seconds(),
        run.warmUpSeconds(),
        run.steady() ? "" : " (steady state: " + SteadyState.text(run) + ")");
    line(
        text,
        "  messages  %d received, %d lost, %d duplicates, %d out of order, %d gaps reported",
        sum(ClientResult::received),
        sum(ClientResult::lost),
        sum(ClientResult::repeated),
        sum(ClientResult::reordered),
        sum(ClientResult::gaps));
    line(text, "  latency since due, ms         %s", latencies(ClientResult::sinceDue));
    line(text, "  latency since the broker, ms  %s", latencies(ClientResult::sinceBroker));
    long fewest = run.clients().stream().mapToLong(c -> c.sinceDue().count()).min().orElse(0);
    String few = LatencyMetric.warning(fewest, "the messages of a client");
    if (!few.isEmpty()) {
      line(text, "  warning   %s", few);
    }
    connects(text);
    loadGenerators(text);
    gateway(text);
    return text.toString();
  }

  private void connects(StringBuilder text) {
    Latencies connects = run.connects();
    if (connects != null) {
      line(
          text,
          "  connect to subscribed, ms  p50 %.1f  p99 %.1f  max %.1f  of %d",
          connects.p50() / MICROS_PER_MILLI,
          connects.p99() / MICROS_PER_MILLI,
          connects.max() / MICROS_PER_MILLI,
          connects.count());
    }
  }

  private void loadGenerators(StringBuilder text) {
    LoadGeneratorResult loadGenerators = run.loadGenerators();
    if (loadGenerators != null) {
      line(
          text,
          "  generator %d clients, %.0f frames/s, %.2f us of CPU per frame, %d failed, %d closed",
          loadGenerators.clients(),
          (double) loadGenerators.frames() / run.seconds(),
          loadGenerators.cpuSeconds() * MICROS / Math.max(1, loadGenerators.frames()),
          loadGenerators.failed(),
          loadGenerators.closed());
    }
  }

  private void gateway(StringBuilder text) {
    List<GatewaySample> counted =
        run.gateway().stream().filter(s -> s.second() >= run.warmUpSeconds()).toList();
    if (counted.size() < 2) {
      return;
    }
    GatewaySample first = counted.get(0);
    GatewaySample last = counted.get(counted.size() - 1);
    double seconds = last.second() - first.second();
    double cpu = last.cpuSeconds() - first.cpuSeconds();
    long frames = last.framesOut() - first.framesOut();
    line(
        text,
        "  gateway   %.2f cores, %.0f frames/s, %.2f us of CPU per frame, heap %.0f MiB",
        cpu / seconds,
        frames / seconds,
        cpu * MICROS / Math.max(1, frames),
        last.heapBytes() / MEBIBYTE);
  }

  private String latencies(Function<ClientResult, Latencies> which) {
    return List.of(
            figure("mean", which, Latencies::mean),
            figure("p50", which, Latencies::p50),
            figure("p95", which, Latencies::p95),
            figure("p99", which, Latencies::p99),
            figure("p99.9", which, Latencies::p999),
            figure("max", which, Latencies::max))
        .stream()
        .collect(Collectors.joining("  "));
  }

  /** Returns the mean over the clients, with its confidence interval if there are at least two. */
  private String figure(
      String name, Function<ClientResult, Latencies> which, ToDoubleFunction<Latencies> figure) {
    double[] samples =
        run.clients().stream()
            .map(which)
            .mapToDouble(latencies -> figure.applyAsDouble(latencies) / MICROS_PER_MILLI)
            .toArray();
    return samples.length == 1
        ? String.format(Locale.ROOT, "%s %.3f", name, samples[0])
        : name + " " + Intervals.student(samples).boundedAtZero().toText(3);
  }

  private long sum(ToLongFunction<ClientResult> figure) {
    return run.clients().stream().mapToLong(figure).sum();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
