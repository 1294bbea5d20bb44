package io.sluice.gateway.broker;

import io.sluice.gateway.time.LogInterval;
import java.util.LinkedHashMap;
import java.util.Map;

/** Rate limit of log events: one per cause and minute. Any thread. */
public final class CauseLog {
  private static final int MAX_CAUSES = 100;

  private final Map<String, LogInterval> causes = new LinkedHashMap<>();

  /** Counts an occurrence. Returns the number since the last logged one, or 0 if none is due. */
  public synchronized long add(String cause) {
    if (causes.size() == MAX_CAUSES && !causes.containsKey(cause)) {
      causes.remove(causes.keySet().iterator().next());
    }
    return causes.computeIfAbsent(cause, any -> new LogInterval()).add(System.nanoTime());
  }

  /** Forgets all causes, so that the next occurrence is logged. */
  public synchronized void reset() {
    causes.clear();
  }
}
