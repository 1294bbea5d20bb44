package io.sluice.gateway.trace;

/** Trace of one message or publish that has ended, for the export of its spans. Immutable then. */
sealed interface EndedTrace permits MessageTrace, OutcomeTrace {
  /** Returns the context of the parent span. */
  TraceContext context();
}
