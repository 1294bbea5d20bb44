/**
 * Admission control of client connections: source addresses, rate limits, quotas, pending
 * handshakes, overload. {@code PendingHandshakes}, {@code OverloadDetector} and {@code ProxyHeader}
 * are bound to one event loop; the other types are for any thread. Entry points: {@link
 * io.sluice.gateway.admission.PendingHandshakes} for an accepted connection, {@link
 * io.sluice.gateway.admission.NodeAdmission#acquire} for its lease on the quotas.
 */
package io.sluice.gateway.admission;
