/**
 * WebSocket protocol: frames of RFC 6455, permessage-deflate of RFC 7692, opening handshake. Entry
 * points: {@link io.sluice.gateway.websocket.FrameDecoder}, bound to an event loop, and {@link
 * io.sluice.gateway.websocket.HandshakeRules}, for any thread.
 *
 * <p>It knows buffers, but neither channels nor sockets. Frames to clients are written by {@code
 * protocol}. The origin check is a part of the handshake and serves streams, too.
 */
package io.sluice.gateway.websocket;
