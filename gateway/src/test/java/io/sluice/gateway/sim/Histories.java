package io.sluice.gateway.sim;

import java.util.HashMap;
import java.util.Map;

/** What all logs of all nodes were handed, by epoch. */
final class Histories {
  private final Chance chance;
  private final Map<Long, History> byEpoch = new HashMap<>();
  private long latest;

  Histories(Chance chance) {
    this.chance = chance;
  }

  /** The epoch of a new log, whose interest is opened next. */
  long nextEpoch() {
    latest = chance.number();
    return latest;
  }

  void opened(History history) {
    byEpoch.put(latest, history);
  }

  History of(long epoch) {
    return byEpoch.get(epoch);
  }
}
