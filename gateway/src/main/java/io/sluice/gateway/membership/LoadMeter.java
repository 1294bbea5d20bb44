package io.sluice.gateway.membership;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.cluster.Load;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Measures what this node has to do. Rates are smoothed, so that a moment is not news to the other
 * nodes. Any thread may call it; {@link #now} takes no lock.
 */
final class LoadMeter {
  /** What the latest measurement counts for. */
  private static final double WEIGHT = 0.25;

  private final IntSupplier connections;
  private final IntSupplier movable;
  private final GatewayMetrics metrics;
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private long measuredNs = System.nanoTime();
  private long frames;
  private volatile Load latest = Load.NONE;

  /**
   * @param connections clients that are connected
   * @param movable those of them that could be told to go, and were not told yet
   */
  LoadMeter(IntSupplier connections, IntSupplier movable, GatewayMetrics metrics) {
    this.connections = connections;
    this.movable = movable;
    this.metrics = metrics;
  }

  /** All figures anew; to be called regularly, by one caller. */
  synchronized Load measure() {
    long nowNs = System.nanoTime();
    long framesNow = metrics.framesOut();
    double seconds = (double) Math.max(1, nowNs - measuredNs) / TimeUnit.SECONDS.toNanos(1);
    double rate = smooth(latest.messageRate(), (framesNow - frames) / seconds);
    double cpu = smooth(latest.cpu(), cpu());
    measuredNs = nowNs;
    frames = framesNow;
    latest = counted(rate, cpu, metrics.medianLoopLagMs());
    return latest;
  }

  /** Clients as they are now, the rest as it was measured last. */
  Load now() {
    Load measured = latest;
    return counted(measured.messageRate(), measured.cpu(), measured.loopLagMs());
  }

  private Load counted(double rate, double cpu, double lagMs) {
    int clients = Math.max(0, connections.getAsInt());
    return new Load(clients, Math.max(0, movable.getAsInt()), rate, cpu, lagMs);
  }

  /** Of the processors that this process may use; at first the system doesn't know. */
  private double cpu() {
    double load = system.getProcessCpuLoad();
    return load >= 0 ? load : 0;
  }

  private static double smooth(double before, double now) {
    return before + WEIGHT * (now - before);
  }
}
