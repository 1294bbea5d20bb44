/**
 * WebSocket protocol: frames of RFC 6455, permessage-deflate of RFC 7692, opening handshake with
 * its refusals and origin check, which streams use as well, and close codes. {@code FrameDecoder},
 * {@code Inflation} and {@code Deflation} are bound to one thread; the other types are for any
 * thread and none uses channels or sockets. Imports no other package of the gateway except {@code
 * protocol.value}. Entry points: {@link io.sluice.gateway.websocket.FrameDecoder} and {@link
 * io.sluice.gateway.websocket.HandshakeRules}.
 */
package io.sluice.gateway.websocket;
