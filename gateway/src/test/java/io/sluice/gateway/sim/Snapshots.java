package io.sluice.gateway.sim;

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

  /** What is wrong with a snapshot as of an offset, or null. */
  String wrong(History history, long upTo, List<Long> replayed) {
    Map<String, Published> newest = newest(history, upTo);
    for (long id : replayed) {
      Published message = broker.byIdentity(id);
      Published expected = newest.remove(message.slot());
      if (message != expected) {
        return "a snapshot has " + message + " instead of " + expected;
      }
    }
    Map<String, Published> now = newest(history, history.last());
    for (Published left : newest.values()) {
      if (now.get(left.slot()) == left) {
        return "a snapshot lacks " + left;
      }
    }
    return null;
  }

  private Map<String, Published> newest(History history, long upTo) {
    Map<String, Published> newest = new HashMap<>();
    for (long offset = 1; offset <= upTo; offset++) {
      History.Entry entry = history.at(offset);
      if (!entry.loss()) {
        Published message = broker.byIdentity(entry.identity());
        newest.put(message.slot(), message);
      }
    }
    return newest;
  }
}
