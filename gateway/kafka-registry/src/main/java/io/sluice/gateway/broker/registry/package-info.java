/**
 * Values of Kafka records whose schemas a registry with Confluent's REST interface has: Avro,
 * Protobuf and JSON. Without this module, a node passes such values on as bytes.
 */
package io.sluice.gateway.broker.registry;
