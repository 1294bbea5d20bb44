package io.sluice.gateway.hub;

import io.sluice.gateway.protocol.TopicPattern;

/**
 * The lines that come from one journal. Where the broker mixes up the topics of what it has kept,
 * only single topics have one: nobody could tell what of a pattern is still to come. Immutable.
 *
 * @param name the durable topic or pattern
 * @param own the journal's line
 * @param ordered whether the broker keeps the order across topics
 */
record Lines(String name, Line own, boolean ordered) {
  /** The line of the log of a topic or pattern, or null if it has none. */
  Line of(String other) {
    if (!ordered && TopicPattern.isPattern(other)) {
      return null;
    }
    return other.equals(name) ? own : own.part(other);
  }
}
