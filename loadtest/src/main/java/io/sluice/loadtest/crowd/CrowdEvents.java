package io.sluice.loadtest.crowd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Writes what a crowd has to say, one JSON object a line. Any thread may call it. */
public final class CrowdEvents {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final PrintWriter out;
  private final com.sun.management.OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);

  /** Writes to {@code out}, which stays the caller's. */
  public CrowdEvents(PrintWriter out) {
    this.out = out;
  }

  /** It begins to connect. */
  void start(Transport transport) {
    print(line("start").put("transport", transport.name().toLowerCase(Locale.ROOT)));
  }

  /** All are there, again or for the first time. */
  void complete(String event, int clients, long nanos) {
    ObjectNode line = line(event);
    line.put("clients", clients);
    line.put("seconds", Math.round(nanos / NANOS * 1000) / 1000.0);
    print(line);
  }

  /** How it stands now. */
  void second(Counts counts) {
    print(totals("second", counts));
  }

  /** How it stood at the end. */
  void end(Counts counts) {
    print(totals("end", counts));
  }

  /** What went wrong. */
  void error(String message) {
    print(line("error").put("message", message));
  }

  private ObjectNode totals(String event, Counts counts) {
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
