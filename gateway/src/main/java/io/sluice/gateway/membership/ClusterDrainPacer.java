package io.sluice.gateway.membership;

import io.sluice.cluster.DrainPace;
import io.sluice.gateway.drain.DrainPacer;

/**
 * Pacer of a draining node. All draining nodes of the cluster together keep to {@code drain.rate}.
 * It spreads the clients of each second over that second. Bound to one thread.
 */
final class ClusterDrainPacer implements DrainPacer {
  /** Longer than a message between nodes takes: they have to hear of each other in between. */
  static final long TURN_MS = 1000;

  private final DrainPace pace;
  private final ClusterMembership membership;
  private DrainPace.Turn turn = DrainPace.Turn.START;
  private long passedOfTurnMs = TURN_MS;
  private int toldOfTurn;

  ClusterDrainPacer(int clientsPerSecond, ClusterMembership membership) {
    this.pace = new DrainPace(clientsPerSecond);
    this.membership = membership;
  }

  @Override
  public int clients(int waiting, long passedMs, long leftMs) {
    passedOfTurnMs += passedMs;
    int clients = Math.min(waiting, due());
    toldOfTurn += clients;
    if (passedOfTurnMs >= TURN_MS) {
      begin();
    }
    return clients;
  }

  private int due() {
    long clients = turn.clients() * Math.min(passedOfTurnMs, TURN_MS) / TURN_MS;
    return (int) clients - toldOfTurn;
  }

  private void begin() {
    membership.report();
    turn = pace.next(turn, membership.self(), membership.nodes(), TURN_MS);
    passedOfTurnMs = 0;
    toldOfTurn = 0;
  }

  @Override
  public long forecastMs(int clients) {
    return TURN_MS + pace.forecastMs(membership.self(), membership.nodes());
  }
}
