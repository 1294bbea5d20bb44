package io.sluice.client;

/**
 * Consumer at a node, from its request until its end or that of the connection.
 *
 * @param consumer consumer of the application
 * @param connection connection on which it was requested
 * @param ref number of the request
 */
record Attachment(Consumer consumer, Connection connection, long ref) {}
