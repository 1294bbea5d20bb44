package io.sluice.gateway.hosts;

/**
 * Observations of clients during some time. Immutable.
 *
 * @param received number of messages
 * @param lost number of messages that are missing without a gap
 * @param duplicates number of messages that were repeated or out of order
 * @param gaps number of gaps
 * @param errors number of unexpected frames and close codes
 * @param drained number of clients that were notified of a drain
 * @param rebalanced number of clients that were redirected to a better node
 * @param redirected number of connections that were redirected at once
 * @param moved number of clients that moved to another node while they had a connection, or after
 *     it
 * @param overlapped number of moved clients whose old connection was open until the new
 *     subscription was active
 * @param leaving maximum number of connects of drained clients within {@link Plan#PACE_S}
 * @param broken number of connections that broke unexpectedly
 * @param silenceMs longest time of a client between the last received data and its next
 *     subscription
 */
record Observations(
    long received,
    long lost,
    long duplicates,
    long gaps,
    long errors,
    long drained,
    long rebalanced,
    long redirected,
    long moved,
    long overlapped,
    int leaving,
    long broken,
    double silenceMs) {}
