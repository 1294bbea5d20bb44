/**
 * WebSocket protocol: frames of RFC 6455, permessage-deflate of RFC 7692, opening handshake and its
 * origin check, which streams use as well. {@code FrameDecoder} and {@code Inflation} are bound to
 * an event loop; the other types are for any thread and none uses channels or sockets. Entry
 * points: {@link io.sluice.gateway.websocket.FrameDecoder} and {@link
 * io.sluice.gateway.websocket.HandshakeRules}.
 */
package io.sluice.gateway.websocket;
