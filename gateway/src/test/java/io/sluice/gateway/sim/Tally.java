package io.sluice.gateway.sim;

/** What happened in a run, so that one that proves nothing is seen as such. */
final class Tally {
  long told;
  long dropped;
  long gaps;
  long proofs;
  long snapshots;
  long refusals;
  long vain;
  long recovered;
  long unrecovered;
  long connections;

  /** Binary messages that no subscription of the client explains. */
  long unknownChannels;

  void add(Tally other) {
    told += other.told;
    dropped += other.dropped;
    gaps += other.gaps;
    proofs += other.proofs;
    refusals += other.refusals;
    vain += other.vain;
    snapshots += other.snapshots;
    recovered += other.recovered;
    unrecovered += other.unrecovered;
    connections += other.connections;
  }

  @Override
  public String toString() {
    return "told=%d dropped=%d gaps=%d proofs=%d snapshots=%d"
            .formatted(told, dropped, gaps, proofs, snapshots)
        + " refusals=%d vain=%d".formatted(refusals, vain)
        + " recovered=%d unrecovered=%d connections=%d"
            .formatted(recovered, unrecovered, connections);
  }
}
