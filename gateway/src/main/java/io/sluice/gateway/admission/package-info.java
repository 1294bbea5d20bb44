/**
 * Admission control of client connections: quotas of the node and of addresses, rate limits,
 * pending handshakes, overload. Entry points: {@link io.sluice.gateway.admission.NodeAdmission} for
 * any thread, {@link io.sluice.gateway.admission.PendingHandshakes} for one event loop.
 *
 * <p>It determines the clients' addresses as well, because limits apply before the first request.
 */
package io.sluice.gateway.admission;
