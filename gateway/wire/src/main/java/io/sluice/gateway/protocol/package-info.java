/**
 * Wire protocol (docs/PROTOCOL.md): frames and their values, encoders of server frames in JSON and
 * binary, topics and patterns. Values are immutable; encoders are bound to one thread. Entry point:
 * {@link MessageEncoder}. Imports no other package of the gateway except {@code protocol.value} and
 * {@code websocket}; its other subpackages import this one.
 */
package io.sluice.gateway.protocol;
