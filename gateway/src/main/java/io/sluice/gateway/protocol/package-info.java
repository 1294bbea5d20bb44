/**
 * Wire protocol (docs/PROTOCOL.md): parses client frames, encodes server frames in JSON and binary,
 * and matches topics with patterns. Entry points are {@code ClientFrameParser} and {@code
 * MessageEncoder}. Values are immutable; encoders belong to one thread. Imports no other package of
 * the gateway.
 */
package io.sluice.gateway.protocol;
