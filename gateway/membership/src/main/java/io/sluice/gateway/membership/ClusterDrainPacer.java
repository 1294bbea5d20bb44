package io.sluice.gateway.membership;

import io.sluice.cluster.DrainPace;
import io.sluice.gateway.drain.DrainPacer;

/**
 * Pacer of a draining node. All draining nodes of the cluster share {@code drain.rate}. The clients
 * of each second are spread over that second. Bound to one thread.
 */
final class ClusterDrainPacer implements DrainPacer {
  /** Longer than a message between nodes takes: each node needs the others' status in between. */
  static final long INTERVAL_MS = 1000;

  private final DrainPace pace;
  private final ClusterMembership membership;
  private DrainPace.Allotment allotment = DrainPace.Allotment.INITIAL;
  private long elapsedMs = INTERVAL_MS;
  private int drained;

  ClusterDrainPacer(int clientsPerSecond, ClusterMembership membership) {
    this.pace = new DrainPace(clientsPerSecond);
    this.membership = membership;
  }

  @Override
  public int clients(int waiting, long passedMs, long leftMs) {
    elapsedMs += passedMs;
    int clients = Math.min(waiting, due());
    drained += clients;
    if (elapsedMs >= INTERVAL_MS) {
      beginInterval();
    }
    return clients;
  }

  private int due() {
    long clients = allotment.clients() * Math.min(elapsedMs, INTERVAL_MS) / INTERVAL_MS;
    return (int) clients - drained;
  }

  private void beginInterval() {
    membership.report();
    allotment = pace.next(allotment, membership.self(), membership.nodes(), INTERVAL_MS);
    elapsedMs = 0;
    drained = 0;
  }

  @Override
  public long forecastMs(int clients) {
    return INTERVAL_MS + pace.forecastMs(membership.self(), membership.nodes());
  }
}
