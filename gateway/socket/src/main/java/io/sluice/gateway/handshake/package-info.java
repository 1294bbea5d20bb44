/**
 * Opening handshake of RFC 6455: upgrade requests, extension offers, check of the origin, and
 * refusals, which streams use as well. Any thread; none uses channels or sockets. Entry point:
 * {@link io.sluice.gateway.handshake.HandshakeRules}.
 */
package io.sluice.gateway.handshake;
