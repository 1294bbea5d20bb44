package io.sluice.gateway.history;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that all logs of a node share. Past the budget, each log gives up its oldest messages
 * until it has no more than an equal share, so that a busy topic never costs a quiet one its
 * history. For any thread.
 */
public final class LogMemory {
  private final long budget;
  private final GatewayMetrics metrics;
  private final AtomicLong used = new AtomicLong();
  private final AtomicInteger logs = new AtomicInteger();

  /**
   * @param budget bytes
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

  /** A message is in no snapshot, because there are as many topics or keys as a log may have. */
  void leftOut() {
    metrics.leftOutOfSnapshots();
  }

  /** Whether a log of this size has to give something up. */
  boolean isTooMuch(long bytes) {
    return used.get() > budget && bytes > budget / Math.max(1, logs.get());
  }
}
