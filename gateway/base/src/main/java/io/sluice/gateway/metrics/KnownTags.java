package io.sluice.gateway.metrics;

import java.util.Collection;
import java.util.List;

/**
 * Tag values that are exported as 0 from the start. Therefore the first event of a kind is visible
 * as an increase, and unexpected values cannot displace them. Immutable, for any thread.
 *
 * @param closeCodes close codes that the node sends
 * @param refusals causes for which a handshake is refused
 * @param drops causes for which a message is dropped
 * @param errors error codes that the node sends
 * @param mechanisms authentication mechanisms
 * @param authenticationFailures reasons for which a credential is rejected
 * @param limits keys of limits that refuse requests or connections of clients
 * @param gaps reasons for which a gap is sent
 */
public record KnownTags(
    Collection<Integer> closeCodes,
    Collection<String> refusals,
    Collection<String> drops,
    Collection<String> errors,
    Collection<String> mechanisms,
    Collection<String> authenticationFailures,
    Collection<String> limits,
    Collection<String> gaps) {

  public KnownTags {
    closeCodes = List.copyOf(closeCodes);
    refusals = List.copyOf(refusals);
    drops = List.copyOf(drops);
    errors = List.copyOf(errors);
    mechanisms = List.copyOf(mechanisms);
    authenticationFailures = List.copyOf(authenticationFailures);
    limits = List.copyOf(limits);
    gaps = List.copyOf(gaps);
  }

  /** Returns an instance without values; each value is exported from its first event on. */
  public static KnownTags none() {
    return new KnownTags(
        List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
  }
}
