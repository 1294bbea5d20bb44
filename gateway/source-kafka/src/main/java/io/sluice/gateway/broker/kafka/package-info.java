/**
 * Kafka topics as a source with offsets: one consumer of the node's topics, a second one for stored
 * records, and a producer. The only package that uses the Kafka client. Without it, a node has no
 * Kafka. Each type states the threads that may use it. The entry point is {@link
 * io.sluice.gateway.broker.kafka.KafkaSource}.
 */
package io.sluice.gateway.broker.kafka;
