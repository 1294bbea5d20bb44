/**
 * Members and frames of presence: docs/PROTOCOL.md, sections 3 and 4. For any thread, except {@link
 * io.sluice.gateway.protocol.presence.PresenceMembers}, which one parser uses.
 */
package io.sluice.gateway.protocol.presence;
