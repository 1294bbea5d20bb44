package io.sluice.gateway.sim;

import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;
import java.util.Map;

/**
 * Selectors of the clients of a world, and its removals. Selectors test the part of a message: its
 * publisher's count modulo {@link #PARTS}. All are drawn from a separate random sequence, so that a
 * seed yields the same world with selectors and without.
 */
final class Selectors {
  static final int PARTS = 3;

  private static final int REMOVAL_ONE_IN = 6;

  private static final String PART = "part = ";
  private static final List<String> ALL =
      List.of(PART + 0, PART + 0, PART + 1, PART + 2, PART + PARTS);
  private static final long SALT = 0x5e1ec7L;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  private final SeededRandom random;

  /**
   * @param used whether clients use selectors
   */
  Selectors(long seed, boolean used) {
    this.random = used ? new SeededRandom((seed + SALT) * SPREADER) : null;
  }

  /** Returns whether no client uses a selector. */
  boolean isNone() {
    return random == null;
  }

  /** Returns the key of a new subscription; about two of three have a selector. */
  InterestKey key(String topic) {
    boolean plain = isNone() || random.oneIn(3);
    return plain ? InterestKey.of(topic) : new InterestKey(topic, random.of(ALL));
  }

  /** Returns whether the next message is a removal. */
  boolean isRemoval() {
    return !isNone() && random.oneIn(REMOVAL_ONE_IN);
  }

  /** Returns what selectors test of a message; null if that is not needed. */
  static MessageFields fields(Published message, boolean needed) {
    return needed
        ? MessageFields.of(Map.of(PART.substring(0, PART.indexOf(' ')), message.number() % PARTS))
        : null;
  }

  /** Returns whether a message belongs to an interest. */
  static boolean selects(InterestKey key, Published message) {
    return TopicPattern.covers(key.topic(), message.topic())
        && (!key.hasSelector() || key.selector().equals(PART + message.number() % PARTS));
  }
}
