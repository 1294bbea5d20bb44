package io.sluice.loadtest.crowd;

import java.nio.file.Path;
import java.util.List;

/**
 * What a crowd is asked to do. Immutable, for any thread.
 *
 * @param clients how many there are at first
 * @param topics client i subscribes to the topic of number i modulo this
 * @param first the number of the first client, so that several crowds share one numbering
 * @param token the credential of every client, or null for none
 * @param connectRate new connections a second, of all threads together
 * @param fromAddresses local addresses to connect from, used in turn; none leaves it to the system
 * @param threads event loops
 * @param insecure whether to take any certificate
 * @param trust certificates to trust instead of the virtual machine's, as a PEM file, or null
 */
public record CrowdOptions(
    CrowdUrl url,
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
  public CrowdOptions {
    fromAddresses = List.copyOf(fromAddresses);
  }

  /** The topic of a client. */
  String topic(int number) {
    return topicPrefix + number % topics;
  }
}
