package io.sluice.gateway.hub;

/**
 * The sequence of messages of a durable interest, or of those for a topic or pattern that it feeds:
 * over restarts of the node it goes on in the same order. It is the upper half of the epochs of its
 * logs, so that a position of an earlier one can be told from that of a stranger. Immutable.
 */
record Line(int number) {
  private static final int HALF = 32;
  private static final long LOWER = 0xffffffffL;

  /** The line of a journal. */
  static Line of(long journalEpoch) {
    return new Line((int) (journalEpoch >>> HALF));
  }

  /** The part of this line that is for a topic or pattern. */
  Line part(String name) {
    long hash = number;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
    }
    return new Line((int) (hash ^ hash >>> HALF));
  }

  /** The epoch of a log of this line. */
  long epoch(long random) {
    return (long) number << HALF | random & LOWER;
  }

  /** Whether a position of this epoch is one of this line. */
  boolean has(long epoch) {
    return (int) (epoch >>> HALF) == number;
  }
}
