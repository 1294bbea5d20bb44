package io.sluice.loadtest;

/** When a run takes place: not known before all its clients are there. For any thread. */
final class RunTime {
  private static final long NANOS = 1_000_000_000L;

  private volatile Span span;

  /** A run that has not begun. */
  RunTime() {}

  /** A run of a known time. */
  RunTime(Span span) {
    this.span = span;
  }

  void begin(Span span) {
    this.span = span;
  }

  boolean hasBegun() {
    return span != null;
  }

  /** The time; null before it is known. */
  Span span() {
    return span;
  }

  boolean contains(long unixNanos) {
    Span known = span;
    return known != null && known.contains(unixNanos);
  }

  boolean endedBy(long unixNanos) {
    Span known = span;
    return known != null && known.endedBy(unixNanos);
  }

  /** The second of the run, from 0; only for a moment within it. */
  int second(long unixNanos) {
    return (int) ((unixNanos - span.fromUnixNanos()) / NANOS);
  }
}
