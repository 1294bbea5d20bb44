/**
 * Reasons why a client receives no data of a topic: the steps from the broker to the client, and
 * the answer of all nodes. Bound to the admin event loop, except collectors of clients. The entry
 * type is {@link io.sluice.gateway.admin.why.WhyQuery}.
 */
package io.sluice.gateway.admin.why;
