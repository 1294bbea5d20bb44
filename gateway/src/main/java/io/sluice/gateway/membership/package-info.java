/**
 * This node as a member of its cluster: how it comes, what it says of itself, and how it goes. The
 * only package that speaks to the cluster; clients hear of it through the transport.
 */
package io.sluice.gateway.membership;
