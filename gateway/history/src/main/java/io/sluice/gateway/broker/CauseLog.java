package io.sluice.gateway.broker;

import io.sluice.gateway.time.LogInterval;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/** Rate limit of log events: one per cause and minute. Any thread. */
public final class CauseLog {
  private static final int MAX_CAUSES = 100;

  private final Map<String, LogInterval> causes = new LinkedHashMap<>();

  /** Returns a warning about a value, with its number; one that is discarded if none is due. */
  public LoggingEventBuilder atWarn(Logger log, String key, Object value, String cause) {
    long times = add(value + " " + cause);
    return times == 0
        ? NOPLoggingEventBuilder.singleton()
        : log.atWarn()
            .addKeyValue(key, value)
            .addKeyValue("cause", cause)
            .addKeyValue("times", times);
  }

  /** Returns an event for information, like {@link #atWarn}, without the cause. */
  public LoggingEventBuilder atInfo(Logger log, String cause) {
    long times = add(cause);
    return times == 0
        ? NOPLoggingEventBuilder.singleton()
        : log.atInfo().addKeyValue("times", times);
  }

  /** Counts an occurrence. Returns the number since the last logged one, or 0 if none is due. */
  synchronized long add(String cause) {
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
