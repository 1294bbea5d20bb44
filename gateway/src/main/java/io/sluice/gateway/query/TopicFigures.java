package io.sluice.gateway.query;

import io.sluice.gateway.protocol.InterestKey;

/**
 * Figures of an interest of a node. Immutable, for any thread.
 *
 * @param rate messages per second
 * @param bytesRate bytes of messages per second
 * @param subscribers number of subscriptions of clients
 * @param logMessages number of messages in the log
 * @param logBytes heap bytes of the log's entries
 * @param logAgeMs age of the oldest message in the log; {@link #NONE} without one
 * @param lastMessageMs arrival of the latest message, Unix milliseconds; {@link #NONE} before it
 * @param gaps number of losses of messages since the interest was opened
 */
public record TopicFigures(
    InterestKey key,
    double rate,
    double bytesRate,
    int subscribers,
    long logMessages,
    long logBytes,
    long logAgeMs,
    long lastMessageMs,
    long gaps,
    ConsumerState consumer) {
  /** Value of an unknown time. */
  public static final long NONE = -1;

  /** Returns whether a message has arrived. */
  public boolean hasMessage() {
    return lastMessageMs != NONE;
  }
}
