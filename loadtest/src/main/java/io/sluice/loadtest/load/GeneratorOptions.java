package io.sluice.loadtest.load;

import io.sluice.loadtest.load.dialect.ClientProtocol;
import java.nio.file.Path;
import java.util.List;

/**
 * Options of a load generator. Immutable, for any thread.
 *
 * @param clients initial number of clients
 * @param topics number of topics; client i subscribes to topic i modulo this number
 * @param first the number of the first client, so that several load generators share one numbering
 * @param token the credential of every client, or null
 * @param connectRate new connections per second, over all threads
 * @param fromAddresses local addresses to connect from, in round-robin order; if empty, the system
 *     chooses
 * @param threads number of event loops
 * @param insecure whether to accept any certificate
 * @param trust PEM file of certificates to trust instead of the JVM's, or null
 * @param inflate whether to require permessage-deflate, and to decompress and verify messages
 * @param measurement of latencies and sequence numbers, or null
 * @param publish messages that the load generator publishes itself, or null
 */
public record GeneratorOptions(
    GatewayUrl url,
    int clients,
    int topics,
    String topicPrefix,
    int first,
    ClientProtocol protocol,
    String token,
    double connectRate,
    List<String> fromAddresses,
    int threads,
    Transport transport,
    boolean insecure,
    Path trust,
    boolean inflate,
    MeasurementOptions measurement,
    PublishOptions publish) {

  /** Creates options with an unmodifiable list. */
  public GeneratorOptions {
    fromAddresses = List.copyOf(fromAddresses);
  }

  /** Returns a client's topic. */
  String topic(int number) {
    return topicPrefix + number % topics;
  }
}
