package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.MeterRegistry;

/** Meters of presence in a registry of a test. */
public final class TestPresenceMeters {
  private TestPresenceMeters() {}

  public static PresenceMeters of(MeterRegistry registry) {
    return new PresenceMeters(new MeterBuilder(registry));
  }
}
