package io.sluice.gateway.query;

import io.sluice.gateway.protocol.InterestKey;

/**
 * Figures of an interest of a node. Immutable, for any thread.
 *
 * @param rate messages per second
 * @param bytesRate bytes of payloads per second
 * @param subscribers number of subscriptions of clients
 * @param depth number of entries of the log
 * @param depthBytes heap bytes of the log's entries
 * @param ageMs age of the oldest entry; {@link #NONE} for an empty log
 * @param lastMessageMs arrival of the latest message, Unix milliseconds; {@link #NONE} before it
 * @param gaps number of losses of messages since the interest was opened
 */
public record TopicFigures(
    InterestKey key,
    double rate,
    double bytesRate,
    int subscribers,
    long depth,
    long depthBytes,
    long ageMs,
    long lastMessageMs,
    long gaps,
    ConsumerState consumer) {
  /** Value of an unknown time. */
  public static final long NONE = -1;

  /** Returns the same figures under another key. */
  public TopicFigures as(InterestKey other) {
    return new TopicFigures(
        other,
        rate,
        bytesRate,
        subscribers,
        depth,
        depthBytes,
        ageMs,
        lastMessageMs,
        gaps,
        consumer);
  }

  /**
   * Returns the figures of this interest and another one in the same topic. Each receives the same
   * messages or, with a selector, some of them; so rates and the log are maxima.
   */
  public TopicFigures plus(TopicFigures other) {
    return new TopicFigures(
        key,
        Math.max(rate, other.rate),
        Math.max(bytesRate, other.bytesRate),
        subscribers + other.subscribers,
        Math.max(depth, other.depth),
        Math.max(depthBytes, other.depthBytes),
        Math.max(ageMs, other.ageMs),
        Math.max(lastMessageMs, other.lastMessageMs),
        gaps + other.gaps,
        consumer == ConsumerState.ACTIVE ? other.consumer : consumer);
  }

  /** Returns whether a message has arrived. */
  public boolean hasMessage() {
    return lastMessageMs != NONE;
  }
}
