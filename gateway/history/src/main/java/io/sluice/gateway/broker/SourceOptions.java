package io.sluice.gateway.broker;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.trace.TraceContext;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Options that all sources read in the same way. Stateless, for any thread. */
public final class SourceOptions {
  /** Upper bound of the first delay before a reconnect. */
  private static final long RECONNECT_MIN_MS = 200;

  private SourceOptions() {}

  /** Returns the properties that are forwarded with a message, those of traces among them. */
  public static List<String> forwardedProperties(Config config) {
    List<String> configured = config.get(BrokerSettings.FORWARD_PROPERTIES);
    return config.get(AdminSettings.TRACING_ENDPOINT).isEmpty()
        ? configured
        : Stream.concat(configured.stream(), Stream.of(TraceContext.PARENT, TraceContext.STATE))
            .distinct()
            .toList();
  }

  /**
   * Creates the backoff of reconnects.
   *
   * @param maxMs upper bound of all delays
   */
  public static Backoff backoff(long maxMs) {
    return new Backoff(RECONNECT_MIN_MS, maxMs, RandomGenerator.getDefault());
  }
}
