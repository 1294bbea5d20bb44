package io.sluice.gateway.shard;

/** State of a source of the node, as reported to a shard. Bound to the shard's event loop. */
public final class ShardSource {
  private final String name;
  private final boolean provesDelivery;

  boolean live;

  /** Number of losses of the source reported to this shard. */
  int losses;

  /** Time of the latest proof, 0 before the first. */
  long provenMs;

  /**
   * Creates the state of a source that is not connected.
   *
   * @param name name on the wire
   * @param provesDelivery whether the source reports proofs of delivery
   */
  public ShardSource(String name, boolean provesDelivery) {
    this.name = name;
    this.provesDelivery = provesDelivery;
  }

  String name() {
    return name;
  }

  boolean provesDelivery() {
    return provesDelivery;
  }
}
