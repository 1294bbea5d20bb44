package io.sluice.gateway.presence;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.List;

/**
 * Change of the members of a topic at one node. Immutable, for any thread.
 *
 * @param count number of members after it
 * @param listed whether the node sends the members; otherwise there are too many
 * @param reset whether all members sent before are discarded first
 * @param joined new members, or members with other info
 * @param left ids of former members
 */
record PresenceChange(
    String topic,
    int count,
    boolean listed,
    boolean reset,
    List<PresenceMember> joined,
    List<String> left) {}
