package io.sluice.gateway.query;

import io.sluice.gateway.protocol.InterestKey;

/**
 * Figures of a subscription of a client. Immutable, for any thread.
 *
 * @param admitted whether the client has received the reply; before that, position and lag are 0
 * @param position offset of the latest message sent to the client
 * @param atGap whether the log has a gap marker at the position, so that no message has followed
 * @param lag number of entries of the log after the position
 * @param gaps number of gaps sent to the client, at most {@link Byte#MAX_VALUE}
 * @param lastGapMs time of the latest one, Unix milliseconds with a resolution of a second; only if
 *     there are gaps
 * @param sinceMs start of the subscription, Unix milliseconds with a resolution of a second
 */
public record SubscriptionFigures(
    InterestKey key,
    boolean admitted,
    long position,
    boolean atGap,
    long lag,
    int gaps,
    long lastGapMs,
    long sinceMs) {}
