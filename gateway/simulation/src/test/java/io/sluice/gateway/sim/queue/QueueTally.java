package io.sluice.gateway.sim.queue;

/** Event counts of a run. They show whether the run had any effect. */
final class QueueTally {
  long delivered;
  long redelivered;
  long settled;
  long failed;
  long late;
  long timeouts;
  long lost;
  long replies;
  long noReplies;
  long responses;
  long committed;
  long unknown;
  long connections;

  void add(QueueTally other) {
    delivered += other.delivered;
    redelivered += other.redelivered;
    settled += other.settled;
    failed += other.failed;
    late += other.late;
    timeouts += other.timeouts;
    lost += other.lost;
    replies += other.replies;
    noReplies += other.noReplies;
    responses += other.responses;
    committed += other.committed;
    unknown += other.unknown;
    connections += other.connections;
  }

  @Override
  public String toString() {
    return "delivered=%d redelivered=%d settled=%d failed=%d late=%d"
            .formatted(delivered, redelivered, settled, failed, late)
        + (" timeouts=%d lost=%d replies=%d no-replies=%d responses=%d connections=%d committed=%d"
                + " unknown=%d")
            .formatted(
                timeouts, lost, replies, noReplies, responses, connections, committed, unknown);
  }
}
