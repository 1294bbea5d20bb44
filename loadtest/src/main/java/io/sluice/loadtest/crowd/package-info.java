/**
 * Very many WebSocket clients in one process, each at the cost of a socket and some hundred bytes.
 */
package io.sluice.loadtest.crowd;
