package io.sluice.gateway.sim;

import io.sluice.gateway.broker.IdentityState;
import java.util.Set;

/**
 * Ids that the nodes' JMS clients give to messages. They depend only on the seed and draw nothing.
 *
 * @param differ whether each node receives a message under another id
 * @param broken rules that the nodes violate
 */
record MessageIds(boolean differ, Set<Rule> broken) {
  private static final long SPREADER = 0x9e3779b97f4a7c15L;
  private static final int BITS = 61;

  /** Returns the ids of a world; in one of eight they differ. */
  static MessageIds of(long seed, Set<Rule> broken) {
    boolean some = seed * SPREADER >>> BITS == 1;
    return new MessageIds(some || broken.contains(Rule.IDENTITY_VERIFIED), broken);
  }

  /** Returns the identity of a message with an id in a topic. */
  long identity(String topic, long id) {
    return broken.contains(Rule.IDENTITY_PER_TOPIC) ? id : mixed(id, topic.hashCode());
  }

  /** Returns the identity of a message at a node, from 0. */
  long at(int node, long identity) {
    return differ ? mixed(identity, node + 1L) : identity;
  }

  private static long mixed(long number, long salt) {
    long sum = (number + salt * SPREADER) * SPREADER;
    return (sum ^ sum >>> 32) & Long.MAX_VALUE;
  }

  /** Returns what a node knows about them. */
  IdentityState state() {
    boolean trusted = !differ || broken.contains(Rule.IDENTITY_VERIFIED);
    return trusted ? IdentityState.VERIFIED : IdentityState.NONE;
  }
}
