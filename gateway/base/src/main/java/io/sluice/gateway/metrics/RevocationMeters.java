package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.IntSupplier;

/** Meters of revocations. Any thread. */
public final class RevocationMeters {
  private final Counter rejected;
  private volatile IntSupplier active = () -> 0;
  private volatile int differing;
  private volatile boolean unstored;

  /** Returns meters in a registry. */
  public static RevocationMeters of(MeterRegistry registry) {
    return new RevocationMeters(registry);
  }

  private RevocationMeters(MeterRegistry registry) {
    Gauge.builder("sluice.revocations", this, m -> m.active.getAsInt())
        .strongReference(true)
        .description("Revocations of credentials that are in force at this node.")
        .register(registry);
    Gauge.builder("sluice.revocations.differing.nodes", this, m -> m.differing)
        .strongReference(true)
        .description(
            "Other nodes whose revocations differ from those of this node, or are unknown.")
        .register(registry);
    Gauge.builder("sluice.revocations.unstored", this, m -> m.unstored ? 1 : 0)
        .strongReference(true)
        .description("1 while auth.revocations-file cannot be written.")
        .register(registry);
    this.rejected =
        Counter.builder("sluice.revocations.rejected")
            .description("Revocations of other nodes that exceeded the limit of this node.")
            .register(registry);
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
    rejected.increment(count);
  }
}
