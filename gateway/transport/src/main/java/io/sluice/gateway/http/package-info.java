/**
 * HTTP port of the clients: requests, WebSocket upgrades, streams, pages, and the resulting
 * connections. Each event loop has a {@code ClientPort} and a {@code LoopState}, both bound to it.
 * Entry point: {@link io.sluice.gateway.http.ClientPorts}.
 */
package io.sluice.gateway.http;
