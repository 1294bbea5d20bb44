package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Shows how the files of TLS on the clients' port stand. For any thread. */
public final class TlsMeters {
  private volatile long certificateEndsMs;
  private volatile long revocationsEndMs;
  private volatile boolean outdated;

  TlsMeters(MeterRegistry registry) {
    Gauge.builder("sluice.tls.certificate.remaining", this, m -> secondsUntil(m.certificateEndsMs))
        .strongReference(true)
        .baseUnit("seconds")
        .description("Until the first of the node's certificates ends; NaN without TLS.")
        .register(registry);
    Gauge.builder("sluice.tls.crl.remaining", this, m -> secondsUntil(m.revocationsEndMs))
        .strongReference(true)
        .baseUnit("seconds")
        .description(
            "Until the first of the revocation lists is too old to be believed; NaN without one.")
        .register(registry);
    Gauge.builder("sluice.tls.outdated", this, m -> m.outdated ? 1 : 0)
        .strongReference(true)
        .description("1 while the files of server.tls have changed to what cannot be used.")
        .register(registry);
  }

  /**
   * The files were read.
   *
   * @param certificateEndsMs when the first certificate ends, Unix milliseconds
   * @param revocationsEndMs when the first revocation list does; 0 if there is none
   */
  public void onRead(long certificateEndsMs, long revocationsEndMs) {
    this.certificateEndsMs = certificateEndsMs;
    this.revocationsEndMs = revocationsEndMs;
  }

  /** Whether the node goes on with what files held before they changed. */
  public void onOutdated(boolean outdated) {
    this.outdated = outdated;
  }

  /** NaN for 0, which is never. */
  static double secondsUntil(long ms) {
    return ms == 0 ? Double.NaN : (ms - System.currentTimeMillis()) / 1000.0;
  }
}
