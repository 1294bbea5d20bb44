/**
 * Client sockets below HTTP and WebSocket: bare descriptors on epoll, channels for TLS and NIO, and
 * senders that use io_uring or one system call each. All types are bound to an event loop, except
 * {@code ClientTransport} and {@code SourceAddress}, which are for any thread. Entry points: {@link
 * io.sluice.gateway.socket.ClientSocket} and {@link io.sluice.gateway.socket.SocketHandover}.
 */
package io.sluice.gateway.socket;
