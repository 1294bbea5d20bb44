package io.sluice.loadtest.load;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Writes the events and statistics of a load generator, one JSON object a line. Any thread may call
 * it.
 */
public final class GeneratorEvents {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final PrintWriter out;
  private final com.sun.management.OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);

  /** Writes to {@code out}, which stays the caller's. */
  public GeneratorEvents(PrintWriter out) {
    this.out = out;
  }

  /** The load generator starts to connect. */
  void start(Transport transport) {
    print(line("start").put("transport", transport.name().toLowerCase(Locale.ROOT)));
  }

  /** All clients are subscribed. */
  void complete(String event, int clients, long nanos) {
    ObjectNode line = line(event);
    line.put("clients", clients);
    line.put("seconds", Math.round(nanos / NANOS * 1000) / 1000.0);
    print(line);
  }

  /** Statistics of the present second. */
  void second(Counters.Snapshot counts) {
    print(totals("second", counts));
  }

  /** Statistics at the end. */
  void end(Counters.Snapshot counts) {
    print(totals("end", counts));
  }

  /** Reports a failure. */
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
