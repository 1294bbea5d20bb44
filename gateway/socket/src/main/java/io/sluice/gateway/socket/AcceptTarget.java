package io.sluice.gateway.socket;

/**
 * Event loop that serves accepted sockets. For any thread.
 *
 * @param port on which the clients connect
 */
record AcceptTarget(int port, EpollSockets sockets, HandshakeSocket.Listener listener) {}
