package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Patterns of {@code history.warm} that the broker refused. Bound to the control thread. */
final class WarmRetries {
  private static final long FIRST_MS = 1_000;

  private final ScheduledExecutorService control;
  private final GatewayMetrics metrics;
  private final long maxMs;
  private final Consumer<String> open;
  private final Map<String, Backoff> refused = new HashMap<>();

  /**
   * Creates one without patterns.
   *
   * @param maxMs bound of the wait between two attempts
   * @param open opens a pattern again
   */
  WarmRetries(
      ScheduledExecutorService control, GatewayMetrics metrics, long maxMs, Consumer<String> open) {
    this.control = control;
    this.metrics = metrics;
    this.maxMs = maxMs;
    this.open = open;
  }

  /** The broker refused a pattern, or it could not be opened again yet. */
  void onRefused(String pattern) {
    Backoff backoff = refused.get(pattern);
    if (backoff == null) {
      backoff = new Backoff(FIRST_MS, maxMs, RandomGenerator.getDefault());
      refused.put(pattern, backoff);
      metrics.warmRefused(1);
    }
    try {
      control.schedule(() -> open.accept(pattern), backoff.nextMs(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  void onStanding(String pattern) {
    if (refused.remove(pattern) != null) {
      metrics.warmRefused(-1);
    }
  }
}
