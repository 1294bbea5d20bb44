package io.sluice.gateway.feed;

import java.util.function.Consumer;

/** Counters of a feed, reported at a fixed interval. Confined to the feed's thread. */
final class FeedTally {
  private final long intervalNs;
  private final Consumer<FeedReport> reports;
  private final Counters interval;
  private final Counters total;

  FeedTally(long intervalNs, long nowNs, Consumer<FeedReport> reports) {
    this.intervalNs = intervalNs;
    this.reports = reports;
    this.interval = new Counters(nowNs);
    this.total = new Counters(nowNs);
  }

  void onSent(long lateNs) {
    interval.onSent(lateNs);
    total.onSent(lateNs);
  }

  void onSkipped(long messages) {
    interval.skipped += messages;
    total.skipped += messages;
  }

  void reportIfDue(long nowNs) {
    if (nowNs - interval.sinceNs >= intervalNs) {
      report(nowNs);
    }
  }

  /** Reports the interval at once and begins the next one. */
  void report(long nowNs) {
    reports.accept(interval.report(nowNs));
    interval.restart(nowNs);
  }

  /** Begins the total and the interval; the counters are 0 until the first connection. */
  void restart(long nowNs) {
    interval.restart(nowNs);
    total.restart(nowNs);
  }

  /** Returns the figures since the first connection. */
  FeedReport total(long nowNs) {
    return total.report(nowNs);
  }

  private static final class Counters {
    private final LatenessHistogram lateness = new LatenessHistogram();
    private long sinceNs;
    private long sent;
    private long skipped;

    Counters(long sinceNs) {
      this.sinceNs = sinceNs;
    }

    void onSent(long lateNs) {
      sent++;
      lateness.record(lateNs);
    }

    FeedReport report(long nowNs) {
      double seconds = Math.max(1, nowNs - sinceNs) / 1e9;
      return new FeedReport(sent, skipped, seconds, lateness.lateness());
    }

    void restart(long nowNs) {
      sinceNs = nowNs;
      sent = 0;
      skipped = 0;
      lateness.reset();
    }
  }
}
