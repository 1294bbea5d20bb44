package io.sluice.gateway.history;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory budget shared by all logs of a node. Above the budget, each log evicts its oldest messages
 * down to an equal share. A busy topic therefore never evicts the history of a quiet one. Any
 * thread may call it.
 */
public final class LogMemory {
  private final long budget;
  private final GatewayMetrics metrics;
  private final AtomicLong used = new AtomicLong();
  private final AtomicInteger logs = new AtomicInteger();

  /**
   * Creates a budget without logs.
   *
   * @param budget limit in bytes
   */
  public LogMemory(long budget, GatewayMetrics metrics) {
    this.budget = budget;
    this.metrics = metrics;
  }

  void opened() {
    logs.incrementAndGet();
  }

  void closed(long bytes) {
    logs.decrementAndGet();
    add(-bytes);
  }

  void add(long bytes) {
    used.addAndGet(bytes);
    metrics.logBytes(bytes);
  }

  /** Counts a message missing from snapshots because its log is at the limit of topics or keys. */
  void onLeftOut() {
    metrics.leftOutOfSnapshots();
  }

  /** Returns whether a log of this size must evict messages. */
  boolean isOverShare(long bytes) {
    return used.get() > budget && bytes > budget / Math.max(1, logs.get());
  }
}
