/**
 * Wire protocol (docs/PROTOCOL.md): parses client frames, encodes server frames in JSON and binary,
 * and matches topics with patterns. Values are immutable; encoders are bound to one thread. Entry
 * points: {@link ClientFrameParser} and {@link MessageEncoder}. Imports no other package of the
 * gateway.
 */
package io.sluice.gateway.protocol;
