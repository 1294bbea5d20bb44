package io.sluice.gateway.query;

/**
 * Frame of a traced session, without its content. Immutable, for any thread.
 *
 * @param atMs Unix milliseconds
 * @param incoming whether the client has sent it
 * @param type type of the frame; {@code compressed} or {@code binary} if it is not readable
 * @param topic topic, pattern or queue that the frame names; null if it names none or is not
 *     readable
 * @param bytes size of the payload
 */
public record TracedFrame(long atMs, boolean incoming, String type, String topic, long bytes) {}
