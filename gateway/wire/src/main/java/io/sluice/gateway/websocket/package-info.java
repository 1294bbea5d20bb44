/**
 * WebSocket protocol: frames of RFC 6455, permessage-deflate of RFC 7692, and close codes. {@code
 * FrameDecoder}, {@code Inflation} and {@code Deflation} are bound to one thread; the other types
 * are for any thread and none uses channels or sockets. Imports no other package of the gateway.
 * Entry point: {@link io.sluice.gateway.websocket.FrameDecoder}.
 */
package io.sluice.gateway.websocket;
