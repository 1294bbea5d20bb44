package io.sluice.cluster;

import java.util.List;

/**
 * Step of rebalancing: the moves of a node until its next call. Immutable, for any thread.
 *
 * @param active whether the node redirects clients; it continues down to half of the tolerance
 * @param credit unused fraction of a move
 * @param moves targets of the clients to redirect
 */
public record RebalanceStep(boolean active, double credit, List<Node> moves) {
  /** Value before the first call. */
  public static final RebalanceStep INITIAL = new RebalanceStep(false, 0, List.of());

  /** Copies the moves. */
  public RebalanceStep {
    moves = List.copyOf(moves);
  }

  RebalanceStep stopped() {
    return new RebalanceStep(false, credit, List.of());
  }
}
