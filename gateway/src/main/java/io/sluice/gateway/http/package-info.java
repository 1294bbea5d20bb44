/**
 * The HTTP port of the clients: requests, WebSocket upgrades, streams, pages, and the connections
 * that result. Entry point: {@link io.sluice.gateway.http.ClientPorts}.
 *
 * <p>Each event loop has a {@code ClientPort} and a {@code LoopState}; both are bound to it. The
 * package sockets the packages {@code drain}, {@code admission}, {@code websocket}, {@code tls} and
 * {@code socket}, which call back through interfaces of their own.
 */
package io.sluice.gateway.http;
