/**
 * Admission control of client connections: quotas of the node and of addresses, rate limits,
 * pending handshakes, overload.
 *
 * <p>A connection passes three checks. {@link io.sluice.gateway.admission.PendingHandshakes}
 * accepts it and bounds its time until it is a WebSocket or a stream. An {@code AdmissionCheck}
 * charges the handshake rate of its address. {@link
 * io.sluice.gateway.admission.NodeAdmission#acquire} returns its lease on the quotas of its address
 * and the node, which its end closes.
 *
 * <p>{@code PendingHandshakes} is bound to one event loop; the other types are for any thread.
 *
 * <p>It determines the clients' addresses as well, because limits apply before the first request.
 */
package io.sluice.gateway.admission;
