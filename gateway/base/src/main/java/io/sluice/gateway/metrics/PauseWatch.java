package io.sluice.gateway.metrics;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detector of process pauses. Any thread may start and close it. A pause is detected when a
 * sleeping thread wakes up late. Causes are garbage collection, a stopped process, a suspended
 * machine, or lack of CPU time.
 */
public final class PauseWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PauseWatch.class);

  /** Shortest reported pause. */
  private static final long THRESHOLD_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long TICK_NS = THRESHOLD_NS / 4;

  private final LongSupplier clockNs;
  private final GatewayMetrics metrics;
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans();
  private final CountDownLatch closed = new CountDownLatch(1);
  private long lastNs;
  private long lastGcMs;

  /**
   * @param clockNs a monotonic clock, in nanoseconds
   */
  public PauseWatch(LongSupplier clockNs, GatewayMetrics metrics) {
    this.clockNs = clockNs;
    this.metrics = metrics;
    this.lastNs = clockNs.getAsLong();
    this.lastGcMs = gcMs();
  }

  /** Starts the thread and returns this object. */
  public PauseWatch start() {
    Thread thread = new Thread(this::run, "sluice-pause-watch");
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  private void run() {
    try {
      while (!closed.await(TICK_NS, TimeUnit.NANOSECONDS)) {
        onTick();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reports a pause if the time since the last call exceeds a sleep by the threshold. */
  void onTick() {
    long nowNs = clockNs.getAsLong();
    long lateNs = nowNs - lastNs - TICK_NS;
    long gcMs = gcMs();
    if (lateNs >= THRESHOLD_NS) {
      long lateMs = TimeUnit.NANOSECONDS.toMillis(lateNs);
      metrics.paused(lateMs);
      log.atWarn()
          .addKeyValue("for-ms", lateMs)
          .addKeyValue("gc-ms", gcMs - lastGcMs)
          .log("process.paused");
    }
    lastNs = nowNs;
    lastGcMs = gcMs;
  }

  private long gcMs() {
    return collectors.stream().mapToLong(each -> Math.max(0, each.getCollectionTime())).sum();
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
