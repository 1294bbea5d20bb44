package io.sluice.gateway.protocol;

/**
 * Stream of a source with offsets that begins at a {@code gap}: docs/PROTOCOL.md, section 8.
 * Immutable, for any thread.
 *
 * @param epoch epoch of the topic log from the gap on
 * @param site of the log
 * @param ids latest id of each partition before the next message
 */
public record BegunStream(long epoch, Site site, long[] ids) {}
