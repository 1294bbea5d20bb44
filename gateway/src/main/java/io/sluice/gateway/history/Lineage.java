package io.sluice.gateway.history;

import io.sluice.gateway.protocol.TopicPattern;

/**
 * The sequence of messages of a durable interest, or of a topic or pattern that it feeds. It
 * continues in the same order over restarts of the node. Its number is the upper half of the epochs
 * of its logs, which distinguishes positions of its earlier logs from all others. Immutable.
 *
 * @param name the topic or pattern
 * @param number derived from the epoch of the journal
 * @param ordered whether the broker keeps the order across topics
 */
public record Lineage(String name, int number, boolean ordered) {
  private static final int HALF = 32;
  private static final long LOWER = 0xffffffffL;

  /**
   * The lineage of a durable topic or pattern.
   *
   * @param clientId name of the node at the broker
   */
  public static Lineage of(String name, long journalEpoch, String clientId, boolean ordered) {
    return new Lineage(name, part((int) (journalEpoch >>> HALF), clientId), ordered);
  }

  /**
   * The lineage of a topic or pattern that the durable interest feeds, or null if it has none.
   * Where the broker mixes up the topics of the messages that it has kept, only single topics have
   * one, because nothing shows which messages of a pattern are still to come.
   */
  public Lineage of(String other) {
    if (!ordered && TopicPattern.isPattern(other)) {
      return null;
    }
    return other.equals(name) ? this : new Lineage(other, part(number, other), ordered);
  }

  private static int part(int number, String name) {
    long hash = number;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
    }
    return (int) (hash ^ hash >>> HALF);
  }

  /** The epoch of a log of this lineage. */
  public long epoch(long random) {
    return (long) number << HALF | random & LOWER;
  }

  /** Whether a position of this epoch is of this lineage. */
  boolean has(long epoch) {
    return (int) (epoch >>> HALF) == number;
  }
}
