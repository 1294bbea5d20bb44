package io.sluice.loadtest.load;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Writer of a load generator's events and statistics, one JSON object per line. Any thread may call
 * it.
 */
public final class GeneratorEvents {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

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
    line.put("seconds", Math.round(nanos / NANOS * 1000) / 1000.0);
    print(line);
  }

  /** Writes the statistics of the current second. */
  void second(Counters.Snapshot counts) {
    print(totals("second", counts));
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
        .put("failed", counts.failed())
        .put("closed", counts.closed())
        .put("cpuSeconds", Math.round(process.getProcessCpuTime() / NANOS * 1000) / 1000.0)
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
