package io.sluice.gateway.protocol;

/**
 * Start of a subscription as sent in {@code subscribed}: docs/PROTOCOL.md, section 4. Immutable,
 * for any thread.
 *
 * @param source name of the source; null if the node has one source
 * @param epoch epoch of the topic log
 * @param site of the log
 * @param offset of the last message before the live stream
 * @param ids latest id of each partition up to this message, of a source with offsets; otherwise
 *     null
 * @param replay number of messages sent before the live stream
 * @param recovered whether the replay contains all messages since the client's position; null
 *     without a position
 * @param timeMs the node's time; 0 if the client keeps the time of its position
 * @param channel the channel of a topic, or null for a pattern
 * @param stream number of the stream in compressed frames
 */
public record SubscriptionStart(
    String source,
    long epoch,
    Site site,
    long offset,
    long[] ids,
    int replay,
    Boolean recovered,
    long timeMs,
    Channel channel,
    int stream) {}
