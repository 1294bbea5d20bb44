/**
 * Represents the results of the broker benchmark, their JSON file and their tables. All types are
 * immutable except {@code MarkdownTable}, which one thread uses. The entry point is {@link
 * io.sluice.loadtest.broker.result.BrokerMeasurement}.
 */
package io.sluice.loadtest.broker.result;
