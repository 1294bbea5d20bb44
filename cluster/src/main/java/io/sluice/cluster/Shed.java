package io.sluice.cluster;

import java.util.List;

/**
 * What a node does to become even with the others until it asks again. Immutable, for any thread.
 *
 * @param going whether it is sending clients away; it goes on until it is well within the tolerance
 * @param credit parts of a move that are left over
 * @param moves in the order of their time
 */
public record Shed(boolean going, double credit, List<Move> moves) {
  /** Before the first question. */
  public static final Shed NOTHING = new Shed(false, 0, List.of());

  /** Copies the moves. */
  public Shed {
    moves = List.copyOf(moves);
  }

  Shed rest() {
    return new Shed(false, credit, List.of());
  }
}
