/**
 * Parser of client frames: docs/PROTOCOL.md, section 3. Entry point: {@link
 * io.sluice.gateway.protocol.parser.ClientFrameParser}, the only user of the members of presence,
 * publishes and queues.
 */
package io.sluice.gateway.protocol.parser;
