/**
 * Client sockets below HTTP and WebSocket: bare descriptors on epoll, channels for TLS and NIO, and
 * senders that use io_uring or one system call each. Entry points: {@link
 * io.sluice.gateway.socket.ClientSocket} and {@link io.sluice.gateway.socket.SocketHandover}.
 *
 * <p>Everything is bound to an event loop, except {@code ClientTransport}, which is for any thread.
 */
package io.sluice.gateway.socket;
