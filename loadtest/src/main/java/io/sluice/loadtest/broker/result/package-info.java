/**
 * Results of the broker benchmark, their JSON file and their tables. All types are immutable,
 * except {@code MarkdownTable}. Entry point is {@code BrokerMeasurement}.
 */
package io.sluice.loadtest.broker.result;
