package io.sluice.gateway.sim;

import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.protocol.TopicPattern;

/** Conditions under which a client must resume without a gap. */
final class Promise {
  /** Upper bound of the lag of an event loop of a simulated node. */
  private static final long LAG_MS = 1_000;

  /** Age of a log, in margins, that a position without a time requires. */
  private static final int UNPROVEN_MARGINS = 3;

  private final Histories histories;
  private final SimulatedBroker broker;
  private final Announcements announcements;
  private final boolean ordered;
  private final boolean shortLogs;
  private final int messages;
  private final long bytes;
  private final long ageMs;
  private final long spreadMs;
  private final int overlap;
  private final long marginMs;

  /** Maximum clock adjustment since the node decided. */
  private final long setMs;

  Promise(Plan plan, Histories histories, SimulatedBroker broker, Announcements announcements) {
    this.broker = broker;
    this.announcements = announcements;
    this.histories = histories;
    this.ordered = plan.durability.ordered();
    this.shortLogs = plan.hardship.hasShortLogs();
    this.messages = plan.config.get(HistorySettings.MESSAGES);
    this.bytes = plan.config.get(HistorySettings.BYTES);
    this.ageMs = plan.config.get(HistorySettings.AGE).toMillis();
    this.spreadMs = plan.spreadMs();
    this.marginMs = plan.config.get(HistorySettings.RESUME_MARGIN).toMillis();
    this.setMs = 2 * plan.skew / Plan.MILLI + 1;
    this.overlap = plan.config.get(HistorySettings.RESUME_OVERLAP);
  }

  /** Returns why the client should have resumed without a gap, or null if a gap is allowed. */
  String broken(
      Application application, Position position, Continuity.Answer answer, NodeClock clock) {
    long nowMs = clock.monoMs();
    if (application.key.hasSelector()) {
      return null; // its log has a part of the messages since it was first used
    }
    boolean latest = application.isLatest();
    History history = histories.of(answer.epoch());
    DurableHistory durable = histories.durable(answer.epoch(), application.key.topic());
    if (durable != null) {
      return latest
          ? null
          : brokenInLineage(durable, application.key.topic(), position, answer, clock);
    }
    if (history == null) {
      return latest ? null : brokenWarm(application, position, answer, clock);
    }
    if (mayReportLate(history)) {
      return null;
    }
    if (position.epoch() == answer.epoch()) {
      return isKept(history, position.offset(), nowMs) ? "its log has all after the offset" : null;
    }
    if (history.hasReceivedTransaction()) {
      return null; // the node may count it as lag
    }
    long sinceMs = clock.toMono(position.sinceMs()) + marginMs + setMs;
    for (long offset = latest ? 0 : answer.offset(); offset > 0; offset--) {
      History.Entry entry = history.at(offset);
      if (entry.loss()) {
        return null;
      }
      if (position.ids().contains(entry.identity()) && !history.isLate(entry)) {
        return isKeptBefore(history, offset, sinceMs, position, clock)
            ? "its log has entry " + offset
            : null;
      }
    }
    return null;
  }

  // A restarted node continues after the last entry of its journal, or of the log in its memory.
  private String brokenInLineage(
      DurableHistory history,
      String pattern,
      Position position,
      Continuity.Answer answer,
      NodeClock clock) {
    DurableHistory before = histories.durable(position.epoch(), pattern);
    boolean sameLineage = before != null && before.lineage == history.lineage;
    if (!sameLineage || !isOrdered(pattern) || position.ids().isEmpty() || shortLogs) {
      return null;
    }
    // A log that is opened later takes over the marks of the pattern that feeds it.
    boolean marked = !ordered && history.hasReturned() && position.epoch() != answer.epoch();
    if (marked) {
      return null;
    }
    long latest = position.ids().get(position.ids().size() - 1);
    long settled = settled(history.entries, answer, clock);
    for (long offset = settled; offset > 0; offset--) {
      History.Entry entry = history.entries.at(offset);
      if (!entry.loss() && entry.identity() == latest) {
        long behind = position.epoch() == answer.epoch() ? offset : offset - 1;
        return isKept(history.entries, behind, clock.monoMs()) ? "it is of the same line" : null;
      }
    }
    return null;
  }

  /**
   * Returns whether a node may report messages bound at the send: its consumer became active
   * between a send and the delivery, or an announcement was slow.
   */
  boolean mayReportLate(History history) {
    if (announcements.haveBeenSlow()) {
      return true;
    }
    long slack = (marginMs + setMs + LAG_MS) * Plan.MILLI;
    return broker.bound(0, Long.MAX_VALUE).stream()
        .anyMatch(
            sent ->
                history.activations().stream()
                    .map(ms -> ms * Plan.MILLI)
                    .anyMatch(
                        at ->
                            at > sent.sentMicros - slack
                                && at < sent.message.acceptedMicros() + slack));
  }

  /** Returns why a client should not have received a gap of lost messages, or null. */
  String brokenByLateGap(History history) {
    return history == null || history.hasLoss() || mayReportLate(history)
        ? null
        : "its consumer was active when everything was sent";
  }

  private boolean isOrdered(String pattern) {
    return ordered || !TopicPattern.isPattern(pattern);
  }

  /** Returns why a client should not have received a gap for a lost broker, or null. */
  String brokenByGap(long epoch, String pattern) {
    DurableHistory durable = histories.durable(epoch, pattern);
    if (durable == null || durable.hasLost() || !isOrdered(pattern) || shortLogs) {
      return null;
    }
    // A log that was opened later also has the marks that the pattern feeding it has for the order.
    boolean marked = !ordered && durable.hasReturned();
    return marked ? null : "the broker has kept everything";
  }

  // A fed log has the feeding log's messages of its topics, with other offsets.
  private String brokenWarm(
      Application application, Position position, Continuity.Answer answer, NodeClock clock) {
    History history = histories.feeding(answer.epoch(), application.key.topic());
    if (history == null
        || position.epoch() == answer.epoch()
        || history.hasReceivedTransaction()
        || mayReportLate(history)) {
      return null;
    }
    long settled = settled(history, answer, clock);
    for (long offset = history.last(); offset > 0; offset--) {
      History.Entry entry = history.at(offset);
      if (entry.loss()) {
        return null;
      }
      if (position.ids().contains(entry.identity()) && !history.isLate(entry)) {
        long sinceMs = clock.toMono(position.sinceMs()) + marginMs + setMs;
        boolean kept = offset <= settled && isKeptBefore(history, offset, sinceMs, position, clock);
        return kept ? "the log that feeds its log has entry " + offset : null;
      }
    }
    return null;
  }

  /**
   * Returns the last entry that a node's event loops had received when they sent an answer with a
   * time.
   */
  long settled(History history, Continuity.Answer answer, NodeClock clock) {
    return history.lastBy(clock.toMono(answer.timeMs()) - setMs - LAG_MS);
  }

  /** Returns whether a log has everything after an offset, by its limits. */
  private boolean isKept(History history, long offset, long nowMs) {
    if (history.last() - offset > messages || offset > history.last()) {
      return false;
    }
    long room = bytes;
    for (long next = offset + 1; next <= history.last(); next++) {
      History.Entry entry = history.at(next);
      room -= entry.bytes();
      if (room < 0 || entry.loss() || entry.arrivedMs() <= nowMs - ageMs) {
        return false;
      }
    }
    return true;
  }

  private boolean isKeptBefore(
      History history, long offset, long minMs, Position position, NodeClock clock) {
    long nowMs = clock.monoMs();
    boolean delayed = history.delayMs() > 0; // a scheduled message may have overtaken others
    long lackableMs = position.timeMs() == 0 ? position.sinceMs() : position.timeMs();
    long provenMs = clock.toMono(lackableMs) - marginMs - setMs;
    long arrivedMs = history.at(offset).arrivedMs() - spreadMs;
    long sinceMs = delayed ? Math.min(arrivedMs, provenMs) : arrivedMs;
    long first = offset;
    while (first > 1 && history.at(first - 1).arrivedMs() >= sinceMs) {
      first--;
    }
    if (first > 1 && history.at(first - 1).arrivedMs() >= sinceMs - 1) {
      return false;
    }
    long lackedMs = position.timeMs() == 0 ? sinceMs : Math.min(sinceMs, provenMs);
    long delayMs = delayed ? history.delayMs() + marginMs : 0;
    return history.activeSinceMs() + delayMs
            < Math.min(lackedMs, sinceMs - UNPROVEN_MARGINS * marginMs) - 1
        && sinceMs > minMs + 1
        && sinceMs > nowMs - ageMs
        && (delayed ? history.last() : offset) - first + 1 < overlap / 2
        && history.last() - Math.max(0, first - 2) <= messages
        && isKept(history, first - 1, nowMs);
  }
}
