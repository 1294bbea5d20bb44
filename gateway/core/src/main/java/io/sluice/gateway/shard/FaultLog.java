package io.sluice.gateway.shard;

import io.sluice.gateway.history.HubClock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Rate-limited log of a shard's failures: one event per minute for each kind, which is the class of
 * the exception. Bound to the shard's event loop.
 */
final class FaultLog {
  /** Minimum time between two events of one kind, because a client may fail in each batch. */
  private static final long INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

  /** Maximum number of kinds; all further kinds share one limit. */
  static final int MAX_KINDS = 16;

  private final Logger log;
  private final HubClock clock;
  private final Map<Class<?>, Kind> kinds = new HashMap<>();
  private final Kind others = new Kind();

  /** State of one kind. */
  private static final class Kind {
    /** Number of failures since the last event, including the logged one. */
    private long count;

    private long loggedNs;
  }

  FaultLog(Logger log, HubClock clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Logs a failure, or counts it if one of its kind was logged in the last minute. */
  void add(Throwable cause) {
    long nowNs = clock.nanos();
    Kind kind = kind(cause.getClass());
    if (kind.count > 0 && nowNs - kind.loggedNs < INTERVAL_NS) {
      kind.count++;
      return;
    }
    log.atError().addKeyValue("since-last", kind.count).setCause(cause).log("shard.fault");
    kind.count = 1;
    kind.loggedNs = nowNs;
  }

  private Kind kind(Class<?> type) {
    Kind existing = kinds.get(type);
    if (existing == null && kinds.size() < MAX_KINDS) {
      existing = new Kind();
      kinds.put(type, existing);
    }
    return existing == null ? others : existing;
  }
}
