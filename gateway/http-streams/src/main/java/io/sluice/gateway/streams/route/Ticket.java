package io.sluice.gateway.streams.route;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;

/**
 * Credential of one request, for browsers whose requests cannot have the header {@code
 * Authorization}. Immutable, for any thread.
 *
 * @param credential of the request that the ticket was issued for
 * @param topics topics and patterns that the ticket is valid for
 */
public record Ticket(Credential.Token credential, List<String> topics) {
  /** Returns the first topic or pattern that the ticket is not valid for, or null. */
  public String uncovered(List<String> requested) {
    for (String each : requested) {
      if (!topics.contains(each) && !TopicPattern.anyCovers(topics, each)) {
        return each;
      }
    }
    return null;
  }
}
