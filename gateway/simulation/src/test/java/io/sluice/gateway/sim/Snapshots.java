package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Check of snapshots. A snapshot has the newest message of each slot up to the answer, unless that
 * is a removal. A slot may be missing only if a newer message of it follows. A gap follows if a
 * loss after the oldest message may have outdated it.
 */
final class Snapshots {
  private final SimulatedBroker broker;

  Snapshots(SimulatedBroker broker) {
    this.broker = broker;
  }

  /**
   * Returns the violation found in a snapshot, or null.
   *
   * @param history history of the subscription, or of a pattern that covers it
   * @param upTo lower bound of the log's offset
   * @param max upper bound of the log's offset
   * @param gap whether a gap followed
   */
  String violation(
      History history, String pattern, long upTo, long max, List<Long> replayed, boolean gap) {
    if (!gap && !replayed.isEmpty() && hasLossAfter(history, replayed.get(0), upTo)) {
      return "a snapshot from before a loss begins with "
          + broker.byIdentity(replayed.get(0))
          + " and ends without a gap";
    }
    Map<String, Published> newest = newest(history, pattern, 1, upTo);
    for (long id : replayed) {
      Published message = broker.byIdentity(id);
      Published expected = newest.remove(message.slot());
      if (message != expected && !isWithin(history, upTo, max, id)) {
        return "a snapshot has " + message + " instead of " + expected;
      }
    }
    newest.keySet().removeAll(slots(history, pattern, upTo + 1));
    return newest.isEmpty() ? null : "a snapshot lacks " + newest.values();
  }

  private static boolean hasLossAfter(History history, long id, long upTo) {
    boolean loss = false;
    for (long offset = upTo; offset > 0; offset--) {
      History.Entry entry = history.at(offset);
      loss |= entry.loss();
      if (!entry.loss() && entry.identity() == id) {
        return loss;
      }
    }
    return false;
  }

  private static boolean isWithin(History history, long after, long upTo, long id) {
    for (long offset = after + 1; offset <= upTo; offset++) {
      if (!history.at(offset).loss() && history.at(offset).identity() == id) {
        return true;
      }
    }
    return false;
  }

  /** Returns the slots of all messages from an offset on. */
  private Set<String> slots(History history, String pattern, long from) {
    Set<String> slots = new HashSet<>();
    for (long offset = from; offset <= history.last(); offset++) {
      Published message = message(history, pattern, offset);
      if (message != null) {
        slots.add(message.slot());
      }
    }
    return slots;
  }

  /** Returns the message at an offset, or null for a loss or another topic. */
  private Published message(History history, String pattern, long offset) {
    History.Entry entry = history.at(offset);
    Published message = entry.loss() ? null : broker.byIdentity(entry.identity());
    return message != null && TopicPattern.covers(pattern, message.topic()) ? message : null;
  }

  private Map<String, Published> newest(History history, String pattern, long from, long upTo) {
    Map<String, Published> newest = new HashMap<>();
    for (long offset = from; offset <= upTo; offset++) {
      Published message = message(history, pattern, offset);
      if (message != null && message.isRemoval()) {
        newest.remove(message.slot());
      } else if (message != null) {
        newest.put(message.slot(), message);
      }
    }
    return newest;
  }
}
