package io.sluice.gateway.sim;

/** Event counts of a run. They show whether the run had any effect. */
final class Tally {
  long delivered;
  long dropped;
  long gaps;
  long proofs;
  long snapshots;
  long outdatedSnapshots;
  long refusals;
  long invalid;
  long recovered;
  long unrecovered;
  long connections;

  /** Binary messages without a matching subscription of the client. */
  long unknownChannels;

  void add(Tally other) {
    delivered += other.delivered;
    dropped += other.dropped;
    gaps += other.gaps;
    proofs += other.proofs;
    refusals += other.refusals;
    invalid += other.invalid;
    snapshots += other.snapshots;
    outdatedSnapshots += other.outdatedSnapshots;
    recovered += other.recovered;
    unrecovered += other.unrecovered;
    connections += other.connections;
  }

  @Override
  public String toString() {
    return "delivered=%d dropped=%d gaps=%d proofs=%d snapshots=%d outdated=%d"
            .formatted(delivered, dropped, gaps, proofs, snapshots, outdatedSnapshots)
        + " refusals=%d invalid=%d".formatted(refusals, invalid)
        + " recovered=%d unrecovered=%d connections=%d"
            .formatted(recovered, unrecovered, connections);
  }
}
