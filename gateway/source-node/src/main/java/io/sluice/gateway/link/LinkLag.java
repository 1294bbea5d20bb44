package io.sluice.gateway.link;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lag of a link as the root measures it once a second. A report that does not arrive adds to the
 * age. One thread sets it; any may read.
 */
public final class LinkLag {
  /** Interval of reports. */
  static final long INTERVAL_MS = 1_000;

  private final LongSupplier nanos;
  private volatile Report latest;

  private record Report(LinkRecord.Lag lag, long atNs) {}

  /** Creates a lag of 0. */
  public LinkLag() {
    this(System::nanoTime);
  }

  LinkLag(LongSupplier nanos) {
    this.nanos = nanos;
    set(new LinkRecord.Lag(0, 0));
  }

  void set(LinkRecord.Lag lag) {
    latest = new Report(lag, nanos.getAsLong());
  }

  /** Returns the number of entries that the root has not sent. */
  long messages() {
    return latest.lag().messages();
  }

  /** Returns by how many milliseconds the leaf is behind the root. */
  long ageMs() {
    Report report = latest;
    long silentMs = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - report.atNs());
    return report.lag().ageMs() + Math.max(0, silentMs - 2 * INTERVAL_MS);
  }
}
