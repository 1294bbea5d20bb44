package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.HashMap;
import java.util.Map;

/**
 * Messages delivered to all logs of all nodes, by the lower half of the epoch. The upper half of an
 * epoch that survives restarts belongs to the journal.
 */
final class Histories {
  private final SeededRandom random;
  private final Map<Integer, History> byEpoch = new HashMap<>();
  private final Map<Integer, BrokerLink> links = new HashMap<>();

  /** Histories of the warm patterns of a node when it created a log, by pattern. */
  private final Map<Integer, Map<String, History>> warm = new HashMap<>();

  private long latest;

  Histories(SeededRandom random) {
    this.random = random;
  }

  /** Returns the epoch of a new log. Its interest is opened next, or is fed by a warm one. */
  long nextEpoch(BrokerLink link) {
    do {
      latest = random.number();
    } while (links.containsKey((int) latest));
    links.put((int) latest, link);
    warm.put((int) latest, link.warm());
    return latest;
  }

  /** Uses the epoch of an earlier log for a new one. */
  long repeatEpoch(BrokerLink link, long epoch) {
    latest = epoch;
    links.put((int) latest, link);
    warm.put((int) latest, link.warm());
    return latest;
  }

  void opened(History history) {
    byEpoch.put((int) latest, history);
  }

  /** Returns the history of a log whose interest has a consumer; null for any other. */
  History of(long epoch) {
    return byEpoch.get((int) epoch);
  }

  /**
   * Returns the history of the warm interest that feeds the log, or null. A refused warm pattern
   * gets another history when it is opened again.
   */
  History feeding(long epoch, String name) {
    DurableHistory durable = durable(epoch, name);
    if (durable != null) {
      return durable.entries;
    }
    Map<String, History> patterns = warm.getOrDefault((int) epoch, Map.of()); // none of a leaf
    for (Map.Entry<String, History> pattern : patterns.entrySet()) {
      if (!name.equals(pattern.getKey()) && TopicPattern.covers(pattern.getKey(), name)) {
        return pattern.getValue();
      }
    }
    return null;
  }

  /** Returns the history of the node's durable interest that feeds the log, or null. */
  DurableHistory durable(long epoch, String name) {
    BrokerLink link = links.get((int) epoch);
    return link == null || byEpoch.containsKey((int) epoch) ? null : link.durable(name);
  }
}
