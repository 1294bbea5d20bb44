/**
 * Queries of topics and clients: figures of this node, requests to the other nodes, the merged
 * result, and its text for commands. Bound to the admin event loop, except collectors of clients
 * and {@code QueryText} with its parts, which any thread may call. The entry type is {@link
 * io.sluice.gateway.admin.query.Queries}.
 */
package io.sluice.gateway.admin.query;
