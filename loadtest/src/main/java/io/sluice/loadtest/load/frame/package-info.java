/**
 * Parsers of a server's WebSocket frames, and the check of the payloads that clients receive. Each
 * object is bound to one event loop.
 */
package io.sluice.loadtest.load.frame;
