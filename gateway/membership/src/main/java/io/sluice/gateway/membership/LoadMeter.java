package io.sluice.gateway.membership;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.cluster.Load;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Meter of this node's load. Rates are smoothed: short peaks are not reported to the other nodes.
 * Any thread may call it; {@link #now} takes no lock.
 */
final class LoadMeter {
  /** Weight of the latest measurement. */
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
   * @param connections number of connected clients
   * @param movable number of clients that can be redirected and were not redirected yet
   */
  LoadMeter(IntSupplier connections, IntSupplier movable, GatewayMetrics metrics) {
    this.connections = connections;
    this.movable = movable;
    this.metrics = metrics;
  }

  /** Measures all figures; to be called regularly, by one caller. */
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

  /** Returns the current number of clients with the latest measured rates. */
  Load now() {
    Load measured = latest;
    return counted(measured.messageRate(), measured.cpu(), measured.loopLagMs());
  }

  private Load counted(double rate, double cpu, double lagMs) {
    int clients = Math.max(0, connections.getAsInt());
    return new Load(clients, Math.max(0, movable.getAsInt()), rate, cpu, lagMs);
  }

  /** Returns the share of the processors that this process may use; 0 while unknown. */
  private double cpu() {
    double load = system.getProcessCpuLoad();
    return load >= 0 ? load : 0;
  }

  private static double smooth(double before, double now) {
    return before + WEIGHT * (now - before);
  }
}
