package io.sluice.gateway.hub;

import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.RecentIdentities;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Filter for messages that a broker sends to a new consumer from a history of its own: after an
 * outage it brings back what was here before, and a broker that mixes it with what is published,
 * some of it twice or too late. Bound to the sequencer of its interest.
 *
 * <p>Nobody says that a message is history, nor which is the last. So for a while after the
 * consumer stood each message is compared with those before it. Later nothing is remembered beside
 * the log, but where the broker has shown that it gives history.
 */
final class BrokerHistory {
  /** What comes later than that is taken for news. */
  static final long WATCH_MS = 10_000;

  /** A message that much older than the consumer is history, and no matter of two clocks. */
  static final long OLD_MS = 10_000;

  /** Most messages that are recognised when they come again; 24 bytes each at most. */
  static final int MOST = 16_384;

  private static final Logger logger = LoggerFactory.getLogger(BrokerHistory.class);

  private final String name;
  private final HubClock clock;
  private final GatewayMetrics metrics;
  private final long marginMs;
  private final TopicLog log;
  private final Stream stream;
  private final boolean pattern;

  /** What came lately; null while nothing is compared. */
  private RecentIdentities recent;

  private long watchedUntilMs;
  private long stoodMs;

  /** The time of the newest message since then. */
  private long newestMs;

  /** Whether the broker has given history, as far as the clocks tell. */
  private boolean given;

  /** Whether it has given something twice, which no clock can feign. */
  private boolean givenTwice;

  /**
   * @param name the topic or pattern
   * @param marginMs difference of two clocks up to which a message is not taken for an old one
   */
  BrokerHistory(
      String name,
      HubClock clock,
      GatewayMetrics metrics,
      long marginMs,
      TopicLog log,
      Stream stream) {
    this.name = name;
    this.clock = clock;
    this.metrics = metrics;
    this.marginMs = marginMs;
    this.log = log;
    this.stream = stream;
    this.pattern = TopicPattern.isPattern(name);
  }

  /** The stream of messages that a history may corrupt. */
  interface Stream {
    /** Marks and reports a gap. */
    void miss(GapReason reason);

    /** Messages before this moment may be missing in the log. */
    void completeSince(long nowMs);
  }

  /** The consumer stands, perhaps again: what comes now may be older than that. */
  void onActive() {
    watchedUntilMs = clock.monoMs() + WATCH_MS;
    stoodMs = clock.wallMs();
    newestMs = Long.MIN_VALUE;
    if (recent == null) {
      recent = new RecentIdentities(MOST);
      remember();
    }
  }

  // The newest of each topic first: they may be older than the log reaches back.
  private void remember() {
    long last = log.last();
    log.snapshot(last).forEach(this::remember);
    long first = last;
    while (log.at(first) != null) {
      first--;
    }
    for (long offset = first + 1; offset <= last; offset++) {
      remember(log.at(offset));
    }
  }

  private void remember(LogEntry entry) {
    if (!entry.isGap()) {
      recent.add(entry.message().identity());
    }
  }

  /** Takes a message into account before it goes into the log; whether it must not go there. */
  boolean leavesOut(Message message) {
    if (recent == null) {
      return false;
    }
    long nowMs = clock.monoMs();
    if (nowMs >= watchedUntilMs) {
      keepInMind(message);
      return false;
    }
    if (!recent.add(message.identity())) {
      givenTwice = true;
      onGiven();
      metrics.dropped("repeated", 1);
      return true;
    }
    if (message.timeMs() < stoodMs && isLate(message, nowMs)) {
      metrics.dropped("late", 1);
      return true;
    }
    newestMs = Math.max(newestMs, message.timeMs());
    return false;
  }

  // The broker took it before the consumer stood, so whoever may miss it has been told. But clocks
  // differ, and messages of two publishers may cross: so a gap is told here, too.
  private boolean isLate(Message message, long nowMs) {
    if (message.timeMs() > 0 && message.timeMs() < stoodMs - OLD_MS) {
      onGiven();
    }
    if (givenTwice && !pattern && message.timeMs() < newestMs) {
      tellGap();
      return true;
    }
    // What lies between two messages of a history may have been left out of it: no position that
    // names one of them may be trusted. Those of the last moments, which may be news by another
    // clock, come at once, and the spread keeps a position from reaching behind the standing.
    if (message.timeMs() < stoodMs - marginMs) {
      stream.completeSince(nowMs);
    }
    return false;
  }

  private void tellGap() {
    LogEntry latest = log.at(log.last());
    if (latest == null || !latest.isGap()) {
      stream.miss(GapReason.BROKER_LOST);
    }
  }

  private void onGiven() {
    if (!given) {
      given = true;
      logger.atDebug().addKeyValue("topic", name).log("interest.retroactive");
    }
  }

  private void keepInMind(Message message) {
    if (given) {
      recent.add(message.identity());
    } else {
      recent = null;
    }
  }
}
