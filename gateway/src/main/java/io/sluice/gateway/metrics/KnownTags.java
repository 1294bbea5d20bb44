package io.sluice.gateway.metrics;

import java.util.Collection;
import java.util.List;

/**
 * The tag values that are known beforehand: they are exported as 0 from the start, so that the
 * first event of a kind already shows as a rise, and foreign values cannot displace them.
 * Immutable, for any thread.
 *
 * @param closeCodes close codes that the node sends
 * @param refusals causes for which a handshake is refused
 * @param drops causes for which a message is dropped
 * @param errors error codes that the node sends
 * @param mechanisms ways to show who one is
 * @param authenticationFailures reasons for which a credential is not accepted
 * @param limits keys of the limits that deny clients something
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

  /** No values are known; each shows from its first event on. */
  public static KnownTags none() {
    return new KnownTags(
        List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
  }
}
