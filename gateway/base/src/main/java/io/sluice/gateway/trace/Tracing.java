package io.sluice.gateway.trace;

import io.sluice.gateway.metrics.TraceMeters;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * Entry point of tracing: selects the messages and publishes to trace. Exists only on nodes with
 * tracing. Any thread may call it, and no method blocks except {@link #close}.
 */
public final class Tracing implements AutoCloseable {
  private static final byte[] NAME =
      ("\"" + TraceContext.PARENT + "\":\"").getBytes(StandardCharsets.US_ASCII);

  /** Upper limit of the random part of a trace id that is sampled, as an unsigned number. */
  private static final double RANGE = 0x1p56;

  private final SpanQueue spans;
  private final long threshold;

  private Tracing(SpanQueue spans, double sampleRatio) {
    this.spans = spans;
    this.threshold = (long) (sampleRatio * RANGE);
  }

  /** Starts the export of spans. */
  public static Tracing open(TracingOptions options, TraceMeters meters) {
    return new Tracing(
        new SpanQueue(options.queue(), SpanExport.open(options), meters).start(),
        options.sampleRatio());
  }

  /** Begins the trace of a message that has arrived; returns null if it is not sampled. */
  public MessageTrace receive(Message message) {
    TraceContext context = selected(parent(message.properties()));
    return context == null
        ? null
        : new MessageTrace(context, message.topic(), message.timeMs(), spans::add);
  }

  /** Begins the trace of a client's publish; returns null if it is not sampled. */
  public PublishTrace publish(Map<String, Object> properties, Destination destination) {
    Object value = properties.get(TraceContext.PARENT);
    TraceContext context = value instanceof String text ? selected(text) : null;
    return context == null ? null : new PublishTrace(context, destination, spans::add);
  }

  /**
   * Begins the trace of a delivery to a consumer; returns null if it is not sampled.
   *
   * @param source name of the queue or topic
   */
  public DeliveryTrace deliver(QueueDelivery delivery, String source) {
    TraceContext context = selected(parent(delivery.properties()));
    return context == null
        ? null
        : new DeliveryTrace(context, source, delivery.timeMs(), spans::add);
  }

  /** Returns the context of a sampled trace that this node records, or null. */
  private TraceContext selected(String traceparent) {
    TraceContext context = traceparent == null ? null : TraceContext.parse(traceparent);
    return context != null && context.sampled() && isSelected(context.traceId()) ? context : null;
  }

  /** Returns whether the random low 56 bits of a trace id are below the threshold. */
  private boolean isSelected(String traceId) {
    return Long.parseLong(traceId, 18, 32, 16) < threshold;
  }

  // No string in JSON contains this sequence, because it would escape the second quotation mark.
  private static String parent(byte[] json) {
    if (json == null) {
      return null;
    }
    for (int at = 0; at + NAME.length < json.length; at++) {
      if (json[at] == '"' && isName(json, at)) {
        int from = at + NAME.length;
        int to = from;
        while (to < json.length && json[to] != '"') {
          to++;
        }
        return new String(json, from, to - from, StandardCharsets.US_ASCII);
      }
    }
    return null;
  }

  private static boolean isName(byte[] json, int at) {
    return Arrays.equals(json, at, at + NAME.length, NAME, 0, NAME.length);
  }

  /** Exports the waiting spans, for at most some seconds, and ends the export. */
  @Override
  public void close() {
    spans.close();
  }
}
