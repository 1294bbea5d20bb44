package io.sluice.gateway.trace;

import io.sluice.gateway.protocol.Destination;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Trace of a client's publish, from its frame to the broker's confirmation. Its span is the parent
 * of the spans of all receivers, because the message carries its context.
 */
public final class PublishTrace extends OutcomeTrace {
  private final TraceContext own;
  private final boolean queue;

  PublishTrace(TraceContext client, Destination destination, Consumer<EndedTrace> onEnd) {
    super(client, destination.name(), onEnd);
    this.queue = destination.isQueue();
    this.own = new TraceContext(client.traceId(), newSpanId(), true);
  }

  private static String newSpanId() {
    long id = 0;
    while (id == 0) { // an invalid id
      id = ThreadLocalRandom.current().nextLong();
    }
    return TraceContext.hex(id);
  }

  /** Returns the context of the node's span, as the message's {@link TraceContext#PARENT}. */
  public String traceparent() {
    return own.traceparent();
  }

  /** Returns whether the destination is a queue. */
  boolean isQueue() {
    return queue;
  }

  /** Returns the id of the node's span. */
  String spanId() {
    return own.spanId();
  }
}
