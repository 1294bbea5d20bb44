package io.sluice.gateway.metrics;

/** Meters of the TLS files of the clients' port. Any thread. */
public final class TlsMeters {
  private volatile long certificateEndsMs;
  private volatile long revocationsEndMs;
  private volatile boolean outdated;

  TlsMeters(MeterBuilder meters) {
    meters.gauge(
        "sluice.tls.certificate.remaining",
        "Time until the earliest expiry of the node's certificates; NaN without TLS.",
        "seconds",
        () -> secondsUntil(certificateEndsMs));
    meters.gauge(
        "sluice.tls.crl.remaining",
        "Time until the earliest expiry of a certificate revocation list; NaN without one.",
        "seconds",
        () -> secondsUntil(revocationsEndMs));
    meters.gauge(
        "sluice.tls.outdated",
        "1 while the files of server.tls have changed and are unusable.",
        null,
        () -> outdated ? 1 : 0);
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
  public static double secondsUntil(long ms) {
    return ms == 0 ? Double.NaN : (ms - System.currentTimeMillis()) / 1000.0;
  }
}
