package io.sluice.gateway.query;

import io.sluice.gateway.protocol.InterestKey;

/**
 * Figures of a subscription of a client. Immutable, for any thread.
 *
 * @param admitted whether the client has received the reply; before that, position and lag are 0
 * @param position offset of the latest message sent to the client
 * @param lag number of entries of the log after the position
 * @param gaps number of gaps sent to the client, at most {@link Byte#MAX_VALUE}
 * @param sinceMs start of the subscription, Unix milliseconds with a resolution of a second
 */
public record SubscriptionFigures(
    InterestKey key, boolean admitted, long position, long lag, int gaps, long sinceMs) {}
