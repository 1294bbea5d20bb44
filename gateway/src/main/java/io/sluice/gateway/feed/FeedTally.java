package io.sluice.gateway.feed;

import java.util.function.Consumer;

/** Counters of a feed, reported at a fixed interval. Confined to the feed's thread. */
final class FeedTally {
  private final long intervalNs;
  private final Consumer<FeedReport> reports;
  private long sinceNs;
  private long sent;
  private long skipped;
  private long lateNs;
  private long maxLateNs;

  FeedTally(long intervalNs, long nowNs, Consumer<FeedReport> reports) {
    this.intervalNs = intervalNs;
    this.sinceNs = nowNs;
    this.reports = reports;
  }

  void onSent(long late) {
    sent++;
    lateNs += late;
    maxLateNs = Math.max(maxLateNs, late);
  }

  void onSkipped(long messages) {
    skipped += messages;
  }

  void reportIfDue(long nowNs) {
    if (nowNs - sinceNs >= intervalNs) {
      report(nowNs);
    }
  }

  /** Reports and resets the counters at once. */
  void report(long nowNs) {
    double seconds = Math.max(1, nowNs - sinceNs) / 1e9;
    double mean = sent == 0 ? 0 : (double) lateNs / sent;
    reports.accept(new FeedReport(sent, skipped, seconds, mean, maxLateNs));
    sinceNs = nowNs;
    sent = 0;
    skipped = 0;
    lateNs = 0;
    maxLateNs = 0;
  }
}
