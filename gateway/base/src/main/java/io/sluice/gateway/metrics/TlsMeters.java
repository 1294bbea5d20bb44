package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Meters of the TLS files of the clients' port. Any thread. */
public final class TlsMeters {
  private volatile long certificateEndsMs;
  private volatile long revocationsEndMs;
  private volatile boolean outdated;

  TlsMeters(MeterRegistry registry) {
    Gauge.builder("sluice.tls.certificate.remaining", this, m -> secondsUntil(m.certificateEndsMs))
        .strongReference(true)
        .baseUnit("seconds")
        .description("Time until the earliest expiry of the node's certificates; NaN without TLS.")
        .register(registry);
    Gauge.builder("sluice.tls.crl.remaining", this, m -> secondsUntil(m.revocationsEndMs))
        .strongReference(true)
        .baseUnit("seconds")
        .description(
            "Time until the earliest expiry of a certificate revocation list; NaN without one.")
        .register(registry);
    Gauge.builder("sluice.tls.outdated", this, m -> m.outdated ? 1 : 0)
        .strongReference(true)
        .description("1 while the files of server.tls have changed and are unusable.")
        .register(registry);
  }

  /**
   * Records that the files were read.
   *
   * @param certificateEndsMs earliest expiry of a certificate, in milliseconds since 1970
   * @param revocationsEndMs earliest expiry of a revocation list, likewise; 0 if there is none
   */
  public void onRead(long certificateEndsMs, long revocationsEndMs) {
    this.certificateEndsMs = certificateEndsMs;
    this.revocationsEndMs = revocationsEndMs;
  }

  /** Records whether the node uses former contents because the changed files are unusable. */
  public void onOutdated(boolean outdated) {
    this.outdated = outdated;
  }

  /** Returns the seconds until a time, in milliseconds since 1970; NaN if that is 0. */
  static double secondsUntil(long ms) {
    return ms == 0 ? Double.NaN : (ms - System.currentTimeMillis()) / 1000.0;
  }
}
