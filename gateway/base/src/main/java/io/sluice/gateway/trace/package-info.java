/**
 * Distributed tracing: the W3C trace context of messages and the export of spans by OpenTelemetry.
 */
package io.sluice.gateway.trace;
