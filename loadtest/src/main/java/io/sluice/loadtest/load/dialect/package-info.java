/**
 * Protocols of the load generator's clients: what a client sends, and how it recognizes messages.
 * Each scans the server's bytes without allocation per message.
 */
package io.sluice.loadtest.load.dialect;
