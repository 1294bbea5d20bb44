package io.sluice.gateway.protocol;

/**
 * How a subscription begins: docs/PROTOCOL.md, section 4, {@code subscribed}.
 *
 * @param epoch the number of the log's life
 * @param site where the log is
 * @param offset of the last message before the live stream
 * @param replay messages that come before the live stream
 * @param recovered whether these are all that the client's position lacks; null if it had none
 * @param timeMs the node's time; 0 if the client keeps that of its position
 * @param channel the channel of a topic, or null for a pattern
 */
public record Admission(
    long epoch,
    Site site,
    long offset,
    int replay,
    Boolean recovered,
    long timeMs,
    Channel channel) {}
