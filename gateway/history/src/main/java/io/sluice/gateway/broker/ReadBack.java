package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Request for messages that a source with offsets has stored: those after a place up to another one
 * of the same stream. Immutable, for any thread.
 *
 * @param key topic or pattern of the interest
 * @param after place before the first message
 * @param upTo place at the last message
 * @param maxMessages number of messages above which the source returns none
 * @param maxBytes bytes of payloads above which the source returns none
 * @param bytesPerSecond maximum rate of reading, averaged over the request
 * @param answer called once, on any thread, with the messages, those of a partition in order. It
 *     receives null and the reason if the source no longer has them all, or failed
 */
public record ReadBack(
    InterestKey key,
    StreamPlace after,
    StreamPlace upTo,
    int maxMessages,
    long maxBytes,
    long bytesPerSecond,
    BiConsumer<List<Message>, String> answer) {
  /** Returns the minimum time of reading some bytes, in nanoseconds. */
  public long minNs(long bytes) {
    return (long) (1e9 * bytes / bytesPerSecond);
  }
}
