package io.sluice.gateway.hub;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.shard.TopicUser;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Request of a shard for messages that the source has stored, with the messages after them: those
 * of the log, and those that arrive during the request. Bound to the interest's sequencer.
 */
final class PendingReadBack {
  private final TopicUser topic;
  private final StreamPlace after;
  private final Set<Long> claimed;
  private final int attempts;
  private final List<LogEntry> later;
  private long room;
  private boolean cut;

  /**
   * @param claimed as in {@link ReadBack}
   * @param attempts number of requests that remain, with this one
   * @param logged messages of the log
   * @param maxBytes bytes of arriving payloads above which the request is cut
   */
  PendingReadBack(
      TopicUser topic,
      StreamPlace after,
      Set<Long> claimed,
      int attempts,
      List<LogEntry> logged,
      long maxBytes) {
    this.topic = topic;
    this.after = after;
    this.claimed = claimed;
    this.attempts = attempts;
    this.later = new ArrayList<>(logged);
    this.room = maxBytes;
  }

  TopicUser topic() {
    return topic;
  }

  StreamPlace after() {
    return after;
  }

  Set<Long> claimed() {
    return claimed;
  }

  int attempts() {
    return attempts;
  }

  /** Returns the messages after those of the source. */
  List<LogEntry> later() {
    return later;
  }

  /** Adds a message that has arrived. */
  void add(LogEntry entry) {
    room -= entry.message().payload().length;
    if (room < 0) {
      cut();
    }
    if (!cut) {
      later.add(entry);
    }
  }

  /** Records that the messages after those of the source are not complete. */
  void cut() {
    cut = true;
    later.clear();
  }

  boolean isCut() {
    return cut;
  }
}
