package io.sluice.gateway.trace;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Trace that ends with a result of the broker or of a client. It is passed on for export once, by
 * the first thread that ends it.
 */
public abstract sealed class OutcomeTrace implements EndedTrace
    permits PublishTrace, DeliveryTrace {
  private final TraceContext context;
  private final String destination;
  private final Consumer<EndedTrace> onEnd;
  private final TraceTime time = TraceTime.now();
  private final AtomicBoolean ended = new AtomicBoolean();
  private long endedNs;
  private String error;

  /**
   * Begins a trace.
   *
   * @param destination name of the topic or queue
   * @param onEnd receives this object once; must not block
   */
  OutcomeTrace(TraceContext context, String destination, Consumer<EndedTrace> onEnd) {
    this.context = context;
    this.destination = destination;
    this.onEnd = onEnd;
  }

  /** Ends the trace: the broker has done what was requested. Any thread. */
  public final void onAccepted() {
    end(null);
  }

  /** Ends the trace with an error. Any thread. */
  public final void onRefused(String code) {
    end(code);
  }

  private void end(String code) {
    if (ended.compareAndSet(false, true)) {
      endedNs = System.nanoTime();
      error = code;
      onEnd.accept(this);
    }
  }

  @Override
  public final TraceContext context() {
    return context;
  }

  final String destination() {
    return destination;
  }

  final TraceTime time() {
    return time;
  }

  final long endedNs() {
    return endedNs;
  }

  /** Returns the code of the error; null if there was none. */
  final String error() {
    return error;
  }
}
