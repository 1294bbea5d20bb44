package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Request for messages that a source with offsets has stored: those after a place up to another one
 * of the same stream. Immutable, for any thread.
 *
 * @param key topic or pattern of the interest
 * @param after place before the first message
 * @param claimed identities of the latest messages of clients, which the log lacks. The source
 *     returns none unless it has had each of them, and all that it delivers here follow
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
    Set<Long> claimed,
    StreamPlace upTo,
    int maxMessages,
    long maxBytes,
    long bytesPerSecond,
    BiConsumer<List<Message>, String> answer) {
  /** Reason of a failure: the source does not have a claimed message. */
  public static final String REFUTED = "the source has lost a message that a client has received";

  /** Returns the same request with another receiver of the answer. */
  public ReadBack answering(BiConsumer<List<Message>, String> other) {
    return new ReadBack(key, after, claimed, upTo, maxMessages, maxBytes, bytesPerSecond, other);
  }

  /** Returns the minimum time of reading some bytes, in nanoseconds. */
  public long minNs(long bytes) {
    return (long) (1e9 * bytes / bytesPerSecond);
  }
}
