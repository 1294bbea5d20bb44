package io.sluice.gateway.query;

import io.sluice.gateway.protocol.InterestKey;

/**
 * Figures of an interest of a node. Immutable, for any thread.
 *
 * @param source name of the source; null if an earlier version has not sent it
 * @param rate messages per second
 * @param bytesRate bytes of payloads per second
 * @param subscribers number of subscriptions of clients
 * @param logMessages number of messages in the log
 * @param logBytes heap bytes of the log's entries
 * @param logAgeMs age of the oldest message in the log; {@link #NONE} without one
 * @param lastMessageMs arrival of the latest message, Unix milliseconds; {@link #NONE} before it
 * @param gaps number of losses of messages since the interest was opened
 * @param numbered whether the source numbers the messages, so that positions apply at every node
 */
public record TopicFigures(
    InterestKey key,
    String source,
    double rate,
    double bytesRate,
    int subscribers,
    long logMessages,
    long logBytes,
    long logAgeMs,
    long lastMessageMs,
    long gaps,
    ConsumerState consumer,
    boolean numbered) {
  /** Value of an unknown time. */
  public static final long NONE = -1;

  /**
   * Returns the figures of this interest and another one in the same topic. Each receives the same
   * messages or, with a selector, some of them; so rates and the log are maxima.
   */
  public TopicFigures plus(TopicFigures other) {
    return new TopicFigures(
        key,
        source == null ? other.source : source,
        Math.max(rate, other.rate),
        Math.max(bytesRate, other.bytesRate),
        subscribers + other.subscribers,
        Math.max(logMessages, other.logMessages),
        Math.max(logBytes, other.logBytes),
        Math.max(logAgeMs, other.logAgeMs),
        Math.max(lastMessageMs, other.lastMessageMs),
        gaps + other.gaps,
        consumer == ConsumerState.ACTIVE ? other.consumer : consumer,
        numbered && other.numbered);
  }

  /** Returns whether a message has arrived. */
  public boolean hasMessage() {
    return lastMessageMs != NONE;
  }
}
