package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/** Meters of revocations. Any thread. */
public final class RevocationMeters {
  private final LongAdder rejected;
  private volatile IntSupplier active = () -> 0;
  private volatile int differing;
  private volatile boolean unstored;

  /** Returns meters in a registry. */
  public static RevocationMeters of(MeterRegistry registry) {
    return new RevocationMeters(new MeterBuilder(registry));
  }

  private RevocationMeters(MeterBuilder meters) {
    meters.gauge(
        "sluice.revocations",
        "Revocations of credentials that are in force at this node.",
        null,
        () -> active.getAsInt());
    meters.gauge(
        "sluice.revocations.differing.nodes",
        "Other nodes whose revocations differ from those of this node, or are unknown.",
        null,
        () -> differing);
    meters.gauge(
        "sluice.revocations.unstored",
        "1 while auth.revocations-file cannot be written.",
        null,
        () -> unstored ? 1 : 0);
    rejected =
        meters.counter(
            "sluice.revocations.rejected",
            "Revocations of other nodes that exceeded the limit of this node.");
  }

  /** Sets the source of the number of revocations in force. */
  public void source(IntSupplier inForce) {
    active = inForce;
  }

  /** Records the number of nodes with other revocations. */
  public void onExchanged(int differingNodes) {
    differing = differingNodes;
  }

  /** Records whether the latest write of the file succeeded. */
  public void onStored(boolean stored) {
    unstored = !stored;
  }

  /** Counts revocations of other nodes that were rejected. */
  public void onRejected(int count) {
    rejected.add(count);
  }
}
