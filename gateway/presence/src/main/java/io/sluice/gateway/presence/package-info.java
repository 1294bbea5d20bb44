/**
 * Presence of clients in topics at all nodes (ADR 25). {@code PresenceTable} and the types below it
 * are bound to the thread {@code sluice-presence}, on which {@link
 * io.sluice.gateway.presence.PresenceHub} runs all changes. An {@code Attendance} and its client
 * are bound to the client's event loop.
 */
package io.sluice.gateway.presence;
