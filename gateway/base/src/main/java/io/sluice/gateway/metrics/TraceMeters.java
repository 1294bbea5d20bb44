package io.sluice.gateway.metrics;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Meters of tracing. Any thread. */
public final class TraceMeters {
  /** Origin of a trace context that arrived from the broker. */
  public static final String BROKER = "broker";

  /** Origin of a trace context that a client sent. */
  public static final String CLIENT = "client";

  /** Cause of a loss: too many traces wait for the export. */
  public static final String QUEUE_FULL = "queue-full";

  /** Cause of a loss: the receiver is not reachable or refuses spans. */
  public static final String EXPORT_FAILED = "export-failed";

  private final TaggedCounter invalidContexts;
  private final TaggedCounter dropped;
  private final LongAdder exported;

  TraceMeters(MeterBuilder meters) {
    invalidContexts =
        meters.tagged(
            "sluice.trace.contexts.invalid",
            "origin",
            "Properties traceparent and tracestate that were removed because they were invalid, by"
                + " origin: a message of the broker or a client.",
            List.of(BROKER, CLIENT));
    dropped =
        meters.tagged(
            "sluice.trace.messages.dropped",
            "cause",
            "Traced messages and publishes whose spans were not exported.",
            List.of(QUEUE_FULL, EXPORT_FAILED));
    exported =
        meters.counter(
            "sluice.trace.messages.exported",
            "Traced messages and publishes whose spans were exported.");
  }

  /** Counts an invalid trace context, by its origin. */
  public void invalidContext(String origin) {
    invalidContexts.add(origin, 1);
  }

  /** Counts messages whose spans were exported. */
  public void exportedTraces(long messages) {
    exported.add(messages);
  }

  /** Counts messages whose spans were dropped, by the cause. */
  public void droppedTraces(String cause, long messages) {
    dropped.add(cause, messages);
  }
}
