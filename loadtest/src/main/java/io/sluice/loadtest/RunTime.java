package io.sluice.loadtest;

/** Time span of a run, unknown until all its clients have connected. For any thread. */
final class RunTime {
  private static final long NANOS = 1_000_000_000L;

  private volatile Span span;

  /** Creates the time of a run that has not started. */
  RunTime() {}

  /** Creates the time of a run with a known span. */
  RunTime(Span span) {
    this.span = span;
  }

  void begin(Span span) {
    this.span = span;
  }

  boolean hasBegun() {
    return span != null;
  }

  /** Returns the span, or null before the run starts. */
  Span span() {
    return span;
  }

  boolean contains(long unixNanos) {
    Span known = span;
    return known != null && known.contains(unixNanos);
  }

  boolean hasEndedBy(long unixNanos) {
    Span known = span;
    return known != null && known.hasEndedBy(unixNanos);
  }

  /** Returns the second of the run, from 0. The time must be within the run. */
  int second(long unixNanos) {
    return (int) ((unixNanos - span.fromUnixNanos()) / NANOS);
  }
}
