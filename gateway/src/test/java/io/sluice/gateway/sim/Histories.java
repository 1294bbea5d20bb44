package io.sluice.gateway.sim;

import java.util.HashMap;
import java.util.Map;

/** What all logs of all nodes were handed, by epoch. */
final class Histories {
  private final Chance chance;
  private final Map<Long, History> byEpoch = new HashMap<>();
  private final Map<Long, BrokerLink> links = new HashMap<>();
  private long latest;

  Histories(Chance chance) {
    this.chance = chance;
  }

  /** The epoch of a new log, whose interest is opened next, or fed by a warm one. */
  long nextEpoch(BrokerLink link) {
    latest = chance.number();
    links.put(latest, link);
    return latest;
  }

  void opened(History history) {
    byEpoch.put(latest, history);
  }

  /** That of a log whose interest has a consumer of its own; null for any other. */
  History of(long epoch) {
    return byEpoch.get(epoch);
  }

  /** That of the warm interest which feeds the one with this log; null if there is none left. */
  History feeding(long epoch, String name) {
    return links.get(epoch).warm(name);
  }
}
