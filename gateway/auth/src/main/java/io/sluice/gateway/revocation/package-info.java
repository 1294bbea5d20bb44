/**
 * Revoked credentials: those of this node, their exchange with other nodes, and a file. {@link
 * io.sluice.gateway.revocation.Revocations} is for any thread; {@link
 * io.sluice.gateway.revocation.RevocationExchange} and {@link
 * io.sluice.gateway.revocation.RevocationFile} each own one thread.
 */
package io.sluice.gateway.revocation;
