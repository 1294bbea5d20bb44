package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.TopicPattern;
import java.util.HashMap;
import java.util.Map;

/**
 * What all logs of all nodes were handed, by the lower half of their epochs; the upper half of one
 * that goes on over restarts is the journal's.
 */
final class Histories {
  private final Chance chance;
  private final Map<Integer, History> byEpoch = new HashMap<>();
  private final Map<Integer, BrokerLink> links = new HashMap<>();

  /** Histories of the warm patterns of a node, by name, when it created a log. */
  private final Map<Integer, Map<String, History>> warm = new HashMap<>();

  private long latest;

  Histories(Chance chance) {
    this.chance = chance;
  }

  /** The epoch of a new log, whose interest is opened next, or fed by a warm one. */
  long nextEpoch(BrokerLink link) {
    do {
      latest = chance.number();
    } while (links.containsKey((int) latest));
    links.put((int) latest, link);
    warm.put((int) latest, link.warm());
    return latest;
  }

  void opened(History history) {
    byEpoch.put((int) latest, history);
  }

  /** That of a log whose interest has a consumer of its own; null for any other. */
  History of(long epoch) {
    return byEpoch.get((int) epoch);
  }

  /**
   * That of the warm interest which feeds the one with this log, or null. A warm pattern that was
   * refused is opened again with another history.
   */
  History feeding(long epoch, String name) {
    DurableHistory durable = durable(epoch, name);
    if (durable != null) {
      return durable.entries;
    }
    for (Map.Entry<String, History> pattern : warm.get((int) epoch).entrySet()) {
      if (!name.equals(pattern.getKey()) && TopicPattern.covers(pattern.getKey(), name)) {
        return pattern.getValue();
      }
    }
    return null;
  }

  /** That of the durable interest of the node with this log; null if none feeds it. */
  DurableHistory durable(long epoch, String name) {
    BrokerLink link = links.get((int) epoch);
    return link == null || byEpoch.containsKey((int) epoch) ? null : link.durable(name);
  }
}
