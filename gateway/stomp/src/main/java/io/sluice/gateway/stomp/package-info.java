/**
 * STOMP 1.0, 1.1 and 1.2 over WebSockets and SockJS, translated into the frames of an ordinary
 * session. Without this module, no client can use STOMP; nothing else breaks.
 */
package io.sluice.gateway.stomp;
