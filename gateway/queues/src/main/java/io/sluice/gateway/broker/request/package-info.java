/**
 * Requests and their replies: the table of pending requests and the node's reply queue at the
 * broker. Any thread may send a request; replies arrive on threads of the JMS client, timeouts on
 * {@code sluice-requests}. The entry point is {@link io.sluice.gateway.broker.request.JmsRequests}.
 */
package io.sluice.gateway.broker.request;
