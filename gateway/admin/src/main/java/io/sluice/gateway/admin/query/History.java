package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.NodeTotals;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** Samples of this node's totals in the last hour, in memory. Bound to the admin event loop. */
final class History {
  /** Time between two samples. */
  static final long INTERVAL_MS = 10_000;

  /** Maximum number of samples. */
  static final int MAX_SAMPLES = 360;

  private static final double MS_PER_SECOND = 1_000;

  private final Deque<JsonObject> samples = new ArrayDeque<>(MAX_SAMPLES);
  private Base earlier;
  private Base latest;

  /** Totals of which later ones are the difference. */
  private record Base(NodeTotals totals, long timeNs) {}

  History(NodeTotals first, long nowNs) {
    this.latest = new Base(first, nowNs);
    this.earlier = latest;
  }

  /**
   * Adds a sample; the oldest one is removed at the limit.
   *
   * @param atMs Unix milliseconds
   */
  void add(NodeTotals totals, long atMs, long nowNs) {
    if (samples.size() == MAX_SAMPLES) {
      samples.removeFirst();
    }
    long slot = Math.round((double) atMs / INTERVAL_MS) * INTERVAL_MS;
    samples.addLast(sample(latest, totals, nowNs).put(OverviewQuery.AT, slot));
    earlier = latest;
    latest = new Base(totals, nowNs);
  }

  /** Returns the figures since a sample that is 5 to 15 s old. */
  JsonObject sample(NodeTotals totals, long nowNs) {
    boolean isOld = nowNs - latest.timeNs >= TimeUnit.MILLISECONDS.toNanos(INTERVAL_MS / 2);
    return sample(isOld ? latest : earlier, totals, nowNs);
  }

  private static JsonObject sample(Base base, NodeTotals totals, long nowNs) {
    long ms = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNs - base.timeNs));
    NodeTotals since = base.totals;
    JsonObject sample =
        new JsonObject()
            .put(OverviewQuery.CLIENTS, totals.clients())
            .put(OverviewQuery.MESSAGES, rate(totals.messages() - since.messages(), ms))
            .put(OverviewQuery.FRAMES, rate(totals.frames() - since.frames(), ms))
            .put(OverviewQuery.BYTES, rate(totals.frameBytes() - since.frameBytes(), ms))
            .put(OverviewQuery.LAG, rounded(totals.loopLagMs()));
    boolean isIdle = totals.frames() == since.frames();
    return isIdle || !totals.latency().isKnown() ? sample : withLatency(sample, totals.latency());
  }

  private static JsonObject withLatency(JsonObject sample, NodeTotals.Latency latency) {
    return sample
        .put(OverviewQuery.P50, rounded(latency.p50()))
        .put(OverviewQuery.P99, rounded(latency.p99()))
        .put(OverviewQuery.P999, rounded(latency.p999()));
  }

  private static double rate(long count, long ms) {
    return rounded(count * MS_PER_SECOND / ms);
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }

  /** Returns all samples, the oldest first. */
  JsonArray json() {
    JsonArray all = new JsonArray();
    samples.forEach(sample -> all.add(sample.copy()));
    return all;
  }
}
