/**
 * Queries of topics and clients: figures of this node, requests to the other nodes, and the merged
 * result. Bound to the admin event loop, except collectors of clients. The entry type is {@link
 * io.sluice.gateway.admin.query.Queries}.
 */
package io.sluice.gateway.admin.query;
