package io.sluice.gateway.sim;

import io.sluice.gateway.broker.jms.IdentityCheck;
import io.sluice.gateway.protocol.Message;
import java.util.Set;

/**
 * Ids and redelivery flags that the nodes' JMS clients give to messages. They depend only on the
 * seed and draw nothing.
 *
 * @param broken rules that the nodes violate
 */
record MessageIds(Kind kind, Set<Rule> broken) {
  /** Relation of the ids of messages. */
  enum Kind {
    /** Equal at all consumers, and different from each other. */
    EQUAL,
    /** Different at each consumer. */
    DIFFERENT,
    MISSING,
    CONSTANT,
    /** Repeated after a few messages. */
    REPEATED,
    /** Equal for two messages that one publisher sends to a topic at once. */
    COPIED
  }

  private static final long SPREADER = 0x9e3779b97f4a7c15L;
  private static final int BITS = 61;
  private static final int KIND_BITS = 7;

  /** Number of different ids of {@link Kind#REPEATED}. */
  private static final long PERIOD = IdentityCheck.ENOUGH / 2;

  /** One in this many messages is marked as redelivered although it is not. */
  private static final int MARKED_ONE_IN = 16;

  /** Time between two messages with one id. */
  private static final long AT_ONCE = Plan.MILLI;

  /** Returns the ids of a world; in one of eight they are not as usual. */
  static MessageIds of(long seed, Set<Rule> broken) {
    long bits = seed * SPREADER;
    Kind[] odd = Kind.values();
    int any = 1 + (int) (bits >>> BITS - KIND_BITS & (1 << KIND_BITS) - 1) % (odd.length - 1);
    Kind drawn = bits >>> BITS == 1 ? odd[any] : Kind.EQUAL;
    if (broken.contains(Rule.IDENTITY_VERIFIED)) {
      return new MessageIds(Kind.DIFFERENT, broken);
    }
    return new MessageIds(broken.contains(Rule.REPEATED_IS_ANOTHER) ? Kind.COPIED : drawn, broken);
  }

  /** Returns whether the ids, and the redelivery flags, are those that JMS specifies. */
  boolean areSound() {
    return kind == Kind.EQUAL;
  }

  /** Returns whether ids do not distinguish the messages of a topic. */
  boolean areAmbiguous() {
    return kind == Kind.MISSING || kind == Kind.CONSTANT || kind == Kind.REPEATED;
  }

  /** Returns the identity of a message with an id in a topic. */
  long identity(String topic, long id) {
    return broken.contains(Rule.IDENTITY_PER_TOPIC) ? id : mixed(id, topic.hashCode());
  }

  /** Returns whether a message has the id of the one that its publisher sent before. */
  boolean repeatsLatest(boolean sameTopic, long microsSince) {
    return kind == Kind.COPIED && sameTopic && microsSince < AT_ONCE;
  }

  /**
   * Returns the identity under which a node receives a message.
   *
   * @param consumer number of the consumer
   */
  long received(Published message, long consumer) {
    return switch (kind) {
      case EQUAL, COPIED -> message.message().identity();
      case DIFFERENT -> mixed(message.message().identity(), consumer + 1);
      case MISSING -> Message.NO_IDENTITY;
      case CONSTANT -> identity(message.topic(), 0);
      case REPEATED -> identity(message.topic(), message.sequence() % PERIOD);
    };
  }

  /** Returns the id of a canary at a consumer, or null. */
  String ofCanary(long sequence, int consumer) {
    return switch (kind) {
      case EQUAL, COPIED -> "c" + sequence;
      case DIFFERENT -> "c" + sequence + "-" + consumer;
      case MISSING -> null;
      case CONSTANT -> "c";
      case REPEATED -> "c" + sequence % PERIOD;
    };
  }

  /**
   * Returns whether a message is marked as redelivered.
   *
   * @param again whether a consumer may have received it before; with ambiguous ids, only the mark
   *     shows it
   */
  boolean isMarked(Published message, boolean again) {
    return again && (areSound() || areAmbiguous())
        || !areSound() && mixed(message.sequence(), MARKED_ONE_IN) % MARKED_ONE_IN == 0;
  }

  private static long mixed(long number, long salt) {
    long sum = (number + salt * SPREADER) * SPREADER;
    return (sum ^ sum >>> 32) & Long.MAX_VALUE;
  }
}
