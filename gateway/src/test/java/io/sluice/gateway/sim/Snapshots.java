package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a snapshot has: the newest message of each slot that the log was handed up to the answer. A
 * slot may be missing only if something newer of it is about to come.
 */
final class Snapshots {
  private final SimulatedBroker broker;

  Snapshots(SimulatedBroker broker) {
    this.broker = broker;
  }

  /**
   * What is wrong with a snapshot, or null.
   *
   * @param history perhaps that of a pattern which covers the subscription's
   * @param upTo an offset that the log had reached at least
   * @param most an offset that it had not passed
   */
  String wrong(History history, String pattern, long upTo, long most, List<Long> replayed) {
    Map<String, Published> newest = newest(history, pattern, 1, upTo);
    Map<String, Published> later = newest(history, pattern, upTo + 1, history.last());
    for (long id : replayed) {
      Published message = broker.byIdentity(id);
      Published expected = newest.remove(message.slot());
      if (message != expected && !isWithin(history, upTo, most, id)) {
        return "a snapshot has " + message + " instead of " + expected;
      }
    }
    newest.keySet().removeAll(later.keySet());
    return newest.isEmpty() ? null : "a snapshot lacks " + newest.values();
  }

  private static boolean isWithin(History history, long after, long upTo, long id) {
    for (long offset = after + 1; offset <= upTo; offset++) {
      if (!history.at(offset).loss() && history.at(offset).identity() == id) {
        return true;
      }
    }
    return false;
  }

  private Map<String, Published> newest(History history, String pattern, long from, long upTo) {
    Map<String, Published> newest = new HashMap<>();
    for (long offset = from; offset <= upTo; offset++) {
      History.Entry entry = history.at(offset);
      Published message = entry.loss() ? null : broker.byIdentity(entry.identity());
      if (message != null && TopicPattern.covers(pattern, message.topic())) {
        newest.put(message.slot(), message);
      }
    }
    return newest;
  }
}
