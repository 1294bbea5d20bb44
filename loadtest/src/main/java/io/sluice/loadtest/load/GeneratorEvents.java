package io.sluice.loadtest.load;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.loadtest.statistics.Interval;
import io.sluice.loadtest.statistics.Intervals;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * Writer of a load generator's events and statistics, one JSON object per line. Any thread may call
 * it.
 */
public final class GeneratorEvents {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double MICROS = TimeUnit.SECONDS.toMicros(1);

  private final PrintWriter out;
  private final com.sun.management.OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);

  /** Creates a writer to {@code out}, which the caller closes. */
  public GeneratorEvents(PrintWriter out) {
    this.out = out;
  }

  /** Writes that the load generator starts to connect. */
  void start(Transport transport) {
    print(line("start").put("transport", transport.name().toLowerCase(Locale.ROOT)));
  }

  /** Writes that all clients are subscribed. */
  void complete(String event, int clients, long nanos) {
    ObjectNode line = line(event);
    line.put("clients", clients);
    line.put("seconds", rounded(nanos / NANOS));
    print(line);
  }

  /** Writes the statistics of the current second. */
  void second(Counters.Snapshot counts) {
    print(totals("second", counts));
  }

  /**
   * Writes the figures of the measured time. A latency is the mean of one figure per measured
   * client in microseconds, with its confidence interval.
   *
   * @param latencies of each measured client
   * @param server its process, or null
   */
  void measured(
      MeasuredWindow from, MeasuredWindow to, List<Histogram> latencies, ProcessHandle server) {
    long frames = to.counts().frames() - from.counts().frames();
    ObjectNode line =
        line("measured")
            .put("seconds", rounded((to.nanos() - from.nanos()) / NANOS))
            .put("frames", frames)
            .put("lost", to.counts().lost())
            .put("repeated", to.counts().repeated())
            .put("gaps", to.counts().gaps())
            .put("clients", latencies.size());
    put(line, "meanMicros", latencies, Histogram::getMean);
    put(line, "p50Micros", latencies, client -> client.getValueAtPercentile(50));
    put(line, "p99Micros", latencies, client -> client.getValueAtPercentile(99));
    put(line, "maxMicros", latencies, Histogram::getMaxValue);
    if (server != null) {
      double cpu = (to.serverCpuNanos() - from.serverCpuNanos()) / NANOS;
      line.put("serverCpuSeconds", rounded(cpu));
      line.put("serverMicrosPerFrame", rounded(frames == 0 ? 0 : cpu * MICROS / frames));
      line.put("serverResidentBytes", MeasuredWindow.residentBytes(server));
    }
    print(line);
  }

  private static void put(
      ObjectNode line, String name, List<Histogram> latencies, ToDoubleFunction<Histogram> figure) {
    double[] samples = latencies.stream().mapToDouble(figure).toArray();
    if (samples.length > 0) {
      ObjectNode interval = line.putObject(name).put("mean", rounded(Intervals.mean(samples)));
      if (samples.length > 1) {
        Interval student = Intervals.student(samples).boundedAtZero();
        interval.put("low", rounded(student.low())).put("high", rounded(student.high()));
      }
    }
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  /** Writes the final statistics. */
  void end(Counters.Snapshot counts) {
    print(totals("end", counts));
  }

  /** Writes an error. */
  void error(String message) {
    print(line("error").put("message", message));
  }

  private ObjectNode totals(String event, Counters.Snapshot counts) {
    Runtime machine = Runtime.getRuntime();
    return line(event)
        .put("time", System.currentTimeMillis())
        .put("open", counts.open())
        .put("subscribed", counts.subscribed())
        .put("frames", counts.frames())
        .put("bytes", counts.bytes())
        .put("inflatedBytes", counts.inflatedBytes())
        .put("verified", counts.verified())
        .put("wrong", counts.wrong())
        .put("refused", counts.refused())
        .put("gaps", counts.gaps())
        .put("lost", counts.lost())
        .put("repeated", counts.repeated())
        .put("failed", counts.failed())
        .put("closed", counts.closed())
        .put("cpuSeconds", rounded(process.getProcessCpuTime() / NANOS))
        .put("heapBytes", machine.totalMemory() - machine.freeMemory());
  }

  private static ObjectNode line(String event) {
    return JsonNodeFactory.instance.objectNode().put("event", event);
  }

  private synchronized void print(ObjectNode line) {
    out.println(line);
    out.flush();
  }
}
