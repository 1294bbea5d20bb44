package io.sluice.gateway.hub;

import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.RecentIdentities;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Filter for retroactive messages: history that a broker sends to a new consumer. After an outage
 * such a broker repeats messages, and some brokers mix them with live ones, duplicated or out of
 * order. Bound to the sequencer of its interest.
 *
 * <p>Retroactive messages are not marked, nor is the last one. For some time after the consumer
 * became active, each message is therefore compared with those before it. Later identities are
 * stored only if the broker has sent retroactive messages.
 */
final class RetroactiveFilter {
  /** Time after the activation of the consumer in which messages are compared. */
  static final long WATCH_MS = 10_000;

  /** Age before the consumer's activation that clock differences cannot explain. */
  static final long OLD_MS = 10_000;

  /** Maximum number of stored identities, of at most 24 bytes each. */
  static final int MAX_IDENTITIES = 16_384;

  private static final Logger logger = LoggerFactory.getLogger(RetroactiveFilter.class);

  private final String name;
  private final HubClock clock;
  private final GatewayMetrics metrics;
  private final long marginMs;
  private final TopicLog log;
  private final Stream stream;
  private final boolean pattern;

  /** Identities of recent messages; null while messages are not compared. */
  private RecentIdentities recent;

  /** Those that have arrived since the activation; null while messages are not compared. */
  private RecentIdentities arrived;

  private long watchedUntilMs;
  private long activeSinceMs;

  /** True if the latest message repeats one that has arrived since the activation. */
  private boolean arrivedBefore;

  /** Timestamp of the newest message since the activation. */
  private long newestMs;

  /** True once the broker has sent retroactive messages, as far as the clocks show. */
  private boolean retroactive;

  /** True once the broker has sent a duplicate, which is evidence independent of clocks. */
  private boolean hasDuplicates;

  /**
   * Creates an inactive filter.
   *
   * @param name the topic or pattern
   * @param marginMs tolerated clock difference before a message counts as old
   */
  RetroactiveFilter(
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

  /** Message stream of the interest, whose order retroactive messages may violate. */
  interface Stream {
    /**
     * Reports a gap for a dropped message. After another gap, the report waits for the next message
     * or round of canaries.
     */
    void onDropped();

    /** Returns whether the ids of messages are evidence of their identity. */
    boolean hasVerifiedIds();

    /** Records that messages before this time may be missing in the log. */
    void completeSince(long nowMs);
  }

  /** Starts comparing messages, because the consumer has become active. */
  void onActive() {
    watchedUntilMs = clock.monoMs() + WATCH_MS;
    activeSinceMs = clock.wallMs();
    newestMs = Long.MIN_VALUE;
    arrived = new RecentIdentities(MAX_IDENTITIES);
    if (recent == null) {
      recent = new RecentIdentities(MAX_IDENTITIES);
      remember();
    }
  }

  // The newest of each topic first, because they may be older than the log's entries.
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
    if (!entry.isGap() && entry.message().isIdentified()) {
      recent.add(entry.message().identity());
    }
  }

  /** Records a message before it is appended to the log; returns whether it must be dropped. */
  boolean rejects(Message message) {
    if (recent == null) {
      return false;
    }
    long nowMs = clock.monoMs();
    if (nowMs >= watchedUntilMs) {
      rememberOrStop(message);
      return false;
    }
    if (message.isIdentified() && isRepeated(message)) {
      return onRepeated(message);
    }
    if (message.timeMs() < activeSinceMs && isLate(message, nowMs)) {
      metrics.dropped("late", 1);
      return true;
    }
    newestMs = Math.max(newestMs, message.timeMs());
    return false;
  }

  private boolean isRepeated(Message message) {
    arrivedBefore = !arrived.add(message.identity());
    return !recent.add(message.identity());
  }

  // A history precedes the activation. A message that repeats an id later is a copy, for which
  // clocks that differ may be the only evidence.
  private boolean onRepeated(Message message) {
    if (arrivedBefore && message.timeMs() > activeSinceMs + marginMs) {
      return false;
    }
    if (arrivedBefore || !stream.hasVerifiedIds()) {
      stream.onDropped();
    }
    hasDuplicates = true;
    onRetroactive();
    metrics.dropped("repeated", 1);
    return true;
  }

  // The broker accepted it before the consumer was active, hence a gap already covers it. Clocks
  // differ or are stepped, and messages of two publishers may be reordered, hence a gap is reported
  // here, too.
  private boolean isLate(Message message, long nowMs) {
    if (message.timeMs() > 0 && message.timeMs() < activeSinceMs - OLD_MS) {
      onRetroactive();
    }
    if (hasDuplicates && !pattern && message.timeMs() < newestMs) {
      stream.onDropped();
      return true;
    }
    // A retroactive history may be incomplete, hence a position within it is not reliable. Messages
    // within the margin may be live by another clock; they arrive at once, and the spread prevents
    // a
    // position from reaching back before the activation.
    if (message.timeMs() < activeSinceMs - marginMs) {
      stream.completeSince(nowMs);
    }
    return false;
  }

  private void onRetroactive() {
    if (!retroactive) {
      retroactive = true;
      logger.atDebug().addKeyValue("topic", name).log("interest.retroactive");
    }
  }

  private void rememberOrStop(Message message) {
    if (retroactive) {
      recent.add(message.identity());
    } else {
      recent = null;
      arrived = null;
    }
  }
}
