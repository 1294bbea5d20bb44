/**
 * Client sockets below HTTP and WebSocket: accept, bare descriptors on epoll, channels for TLS and
 * NIO, and senders that use io_uring or one system call each. All types are bound to an event loop,
 * except {@code ClientTransport}, which is for any thread. Entry points: {@link
 * io.sluice.gateway.socket.ClientSocket} and {@link io.sluice.gateway.socket.SocketHandover}.
 */
package io.sluice.gateway.socket;
