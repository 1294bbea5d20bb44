package io.sluice.gateway.history;

import io.sluice.gateway.protocol.TopicPattern;

/**
 * Identity of the message sequence of a durable interest, or of a topic or pattern fed by one. The
 * sequence continues in the same order after a restart of the node. The number is the upper half of
 * the epochs of its logs. It distinguishes positions of its earlier logs from all others. Immutable
 * and safe for any thread.
 *
 * @param name the topic or pattern
 * @param number hash derived from the epoch of the journal
 * @param ordered whether the broker preserves the order across topics
 */
public record Lineage(String name, int number, boolean ordered) {
  private static final int HALF = 32;
  private static final long LOWER = 0xffffffffL;

  /**
   * Returns the lineage of a durable topic or pattern.
   *
   * @param clientId JMS client ID of the node
   */
  public static Lineage of(String name, long journalEpoch, String clientId, boolean ordered) {
    return new Lineage(name, part((int) (journalEpoch >>> HALF), clientId), ordered);
  }

  /**
   * Returns the lineage of a topic or pattern that the durable interest feeds, or null if it has
   * none. If the broker redelivers without an order across topics, only single topics have a
   * lineage: nothing shows which messages of a pattern are still missing.
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

  /** Returns the epoch of a new log of this lineage. */
  public long epoch(long random) {
    return epoch(number, random);
  }

  /** Returns the epoch of a new log of the lineage or stream with a number. */
  static long epoch(int number, long random) {
    return (long) number << HALF | random & LOWER;
  }

  /** Returns the number in an epoch. */
  static int number(long epoch) {
    return (int) (epoch >>> HALF);
  }

  /** Returns whether an epoch belongs to this lineage. */
  boolean hasEpoch(long epoch) {
    return number(epoch) == number;
  }
}
