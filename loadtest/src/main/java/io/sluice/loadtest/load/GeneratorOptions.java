package io.sluice.loadtest.load;

import java.nio.file.Path;
import java.util.List;

/**
 * Options of a load generator. Immutable, for any thread.
 *
 * @param clients initial number of clients
 * @param topics client i subscribes to the topic of number i modulo this
 * @param first the number of the first client, so that several load generators share one numbering
 * @param token the credential of every client, or null
 * @param connectRate new connections a second, of all threads together
 * @param fromAddresses local addresses to connect from, used in turn; none leaves it to the system
 * @param threads event loops
 * @param insecure whether to take any certificate
 * @param trust certificates to trust instead of the virtual machine's, as a PEM file, or null
 */
public record GeneratorOptions(
    GatewayUrl url,
    int clients,
    int topics,
    String topicPrefix,
    int first,
    MessageEncoding encoding,
    String token,
    double connectRate,
    List<String> fromAddresses,
    int threads,
    Transport transport,
    boolean insecure,
    Path trust) {

  /** Options whose list does not change any more. */
  public GeneratorOptions {
    fromAddresses = List.copyOf(fromAddresses);
  }

  /** The topic of a client. */
  String topic(int number) {
    return topicPrefix + number % topics;
  }
}
