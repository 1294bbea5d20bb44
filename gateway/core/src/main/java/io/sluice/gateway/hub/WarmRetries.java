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

/**
 * Retries of {@code history.warm} patterns that the broker refused. Bound to the control thread.
 */
final class WarmRetries {
  /** Upper bound of the first backoff; it doubles with each refusal. */
  private static final long INITIAL_BACKOFF_MS = 1_000;

  /** Upper bound of any backoff. */
  private static final long MAX_BACKOFF_MS = 60_000;

  private final ScheduledExecutorService control;
  private final GatewayMetrics metrics;
  private final Consumer<String> open;
  private final Map<String, Backoff> refused = new HashMap<>();

  /**
   * Creates retries without patterns.
   *
   * @param open opens a pattern again
   */
  WarmRetries(ScheduledExecutorService control, GatewayMetrics metrics, Consumer<String> open) {
    this.control = control;
    this.metrics = metrics;
    this.open = open;
  }

  /** Schedules a retry of a pattern that the broker refused, or that could not be reopened. */
  void onRefused(String pattern) {
    Backoff backoff = refused.get(pattern);
    if (backoff == null) {
      backoff = new Backoff(INITIAL_BACKOFF_MS, MAX_BACKOFF_MS, RandomGenerator.getDefault());
      refused.put(pattern, backoff);
      metrics.warmRefused(1);
    }
    try {
      control.schedule(() -> open.accept(pattern), backoff.nextMs(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  /** Removes a pattern whose consumer is active, or which is no longer configured. */
  void remove(String pattern) {
    if (refused.remove(pattern) != null) {
      metrics.warmRefused(-1);
    }
  }
}
