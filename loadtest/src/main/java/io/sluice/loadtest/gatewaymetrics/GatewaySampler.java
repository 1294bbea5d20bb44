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
 * Sampler that scrapes a gateway's metrics once per second on the thread {@code gateway-metrics}.
 * Each error is reported once and does not end the measurement. For any thread.
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
  private final Set<String> reported = new TreeSet<>();
  private final MetricsScraper metrics;
  private final Consumer<String> errors;
  private final long start;

  private GatewaySampler(MetricsScraper metrics, long start, Consumer<String> errors) {
    this.metrics = metrics;
    this.start = start;
    this.errors = errors;
  }

  /**
   * Starts sampling immediately.
   *
   * @param start second 0 of the samples, by {@link System#nanoTime}
   * @param errors receives each error once
   */
  public static GatewaySampler start(MetricsScraper metrics, long start, Consumer<String> errors) {
    GatewaySampler sampler = new GatewaySampler(metrics, start, errors);
    sampler.thread.scheduleAtFixedRate(sampler::sample, 0, 1, TimeUnit.SECONDS);
    return sampler;
  }

  /** Returns the samples so far, in chronological order. */
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
      metrics.missing().forEach(name -> reportOnce("the gateway exposes no metric " + name));
    } catch (IOException e) {
      reportOnce("cannot scrape the gateway's metrics: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void reportOnce(String error) {
    if (reported.add(error)) {
      errors.accept(error);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
