package io.sluice.gateway.trace;

import io.opentelemetry.sdk.trace.IdGenerator;

/**
 * Ids of spans: random, or that of a span whose context a message already carries. Bound to one
 * thread.
 */
final class SpanIds implements IdGenerator {
  private final IdGenerator random = IdGenerator.random();
  private String next;

  /** Sets the id of the next span. */
  void next(String id) {
    next = id;
  }

  @Override
  public String generateSpanId() {
    String id = next == null ? random.generateSpanId() : next;
    next = null;
    return id;
  }

  @Override
  public String generateTraceId() {
    return random.generateTraceId();
  }
}
