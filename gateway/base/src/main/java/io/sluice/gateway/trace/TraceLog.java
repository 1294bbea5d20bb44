package io.sluice.gateway.trace;

import java.util.Map;
import org.slf4j.spi.LoggingEventBuilder;

/** Trace ids in the log events of messages with a trace context. Stateless; any thread. */
public final class TraceLog {
  private static final String TRACE_ID = "trace-id";

  private TraceLog() {}

  /** Adds the trace id of a message with these properties, unless it has no valid context. */
  public static LoggingEventBuilder withTrace(
      LoggingEventBuilder event, Map<String, Object> properties) {
    return withTrace(event, properties.get(TraceContext.PARENT));
  }

  /**
   * Adds the trace id of a message, unless it has no valid context.
   *
   * @param traceparent value of {@link TraceContext#PARENT}, or null
   */
  public static LoggingEventBuilder withTrace(LoggingEventBuilder event, Object traceparent) {
    TraceContext context = traceparent instanceof String text ? TraceContext.parse(text) : null;
    return context == null ? event : event.addKeyValue(TRACE_ID, context.traceId());
  }
}
