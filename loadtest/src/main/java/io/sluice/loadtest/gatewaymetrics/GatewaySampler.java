package io.sluice.loadtest.gatewaymetrics;

import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Asks a gateway for its metrics once a second, on a thread of its own. What goes wrong is said
 * once and does not end the measurement. For any thread.
 */
public final class GatewaySampler implements AutoCloseable {
  private static final double NANOS = 1e9;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread daemon = new Thread(task, "gateway-metrics");
            daemon.setDaemon(true);
            return daemon;
          });
  private final List<GatewaySample> samples = new ArrayList<>();
  private final Set<String> said = new TreeSet<>();
  private final MetricsScraper metrics;
  private final Consumer<String> complaints;
  private final long start;

  private GatewaySampler(MetricsScraper metrics, long start, Consumer<String> complaints) {
    this.metrics = metrics;
    this.start = start;
    this.complaints = complaints;
  }

  /**
   * Begins at once.
   *
   * @param start by {@link System#nanoTime}, second 0 of the samples
   * @param complaints takes what could not be read, each once
   */
  public static GatewaySampler start(
      MetricsScraper metrics, long start, Consumer<String> complaints) {
    GatewaySampler sampler = new GatewaySampler(metrics, start, complaints);
    sampler.thread.scheduleAtFixedRate(sampler::sample, 0, 1, TimeUnit.SECONDS);
    return sampler;
  }

  /** What has come so far, in the order of time. */
  public List<GatewaySample> samples() {
    synchronized (samples) {
      return List.copyOf(samples);
    }
  }

  private void sample() {
    try {
      GatewaySample sample = metrics.sample((System.nanoTime() - start) / NANOS);
      synchronized (samples) {
        samples.add(sample);
      }
      metrics.missing().forEach(name -> sayOnce("the gateway has no metric " + name));
    } catch (IOException e) {
      sayOnce("no metrics of the gateway: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void sayOnce(String complaint) {
    if (said.add(complaint)) {
      complaints.accept(complaint);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
