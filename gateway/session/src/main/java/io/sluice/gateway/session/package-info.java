/**
 * Protocol state of one client from its first frame to its last. A session checks the client's
 * credential and permissions, subscribes it to topics of the hub, and passes its publishes to the
 * broker. Other frames belong to features of other modules, which use a session by its {@link
 * io.sluice.gateway.session.SessionContext}.
 *
 * <p>Bound to the event loop of the client's connection, except for {@link
 * io.sluice.gateway.session.SessionPolicy}, which all sessions of a node share. Entry point: {@link
 * io.sluice.gateway.session.Session}; {@link io.sluice.gateway.session.Connection} is the transport
 * below it.
 */
package io.sluice.gateway.session;
