package io.sluice.gateway.hosts;

/**
 * What clients have seen in a while. Immutable.
 *
 * @param received messages
 * @param lost those that are missing without a word
 * @param doubled those that came twice, or late
 * @param told gaps
 * @param errors frames and closes that no client expects
 * @param sentAway clients that were told to leave
 * @param shed clients that were told of a better place
 * @param redirected connections that were sent elsewhere before they had begun
 * @param moved clients that went to another node while they had a connection, or thereafter
 * @param overlapped those of them whose old connection stood when the new one had their
 *     subscription
 * @param leaving connects of clients that were told to leave, the most within {@link Plan#PACE_S}
 * @param broken connections that ended under a client
 * @param silenceMs the longest time of a client between what it heard last and its next
 *     subscription
 */
record Sightings(
    long received,
    long lost,
    long doubled,
    long told,
    long errors,
    long sentAway,
    long shed,
    long redirected,
    long moved,
    long overlapped,
    int leaving,
    long broken,
    double silenceMs) {}
