package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import java.util.List;
import java.util.Map;

/**
 * Validation rules for the claims of a token, signed or introspected. Immutable, for any thread.
 *
 * @param issuer required issuer; empty if any is accepted
 * @param audience accepted audiences; empty if any is accepted
 * @param complete whether issuer, audience and, if required, expiry must be present
 */
record ClaimRules(
    Mechanism mechanism,
    String issuer,
    List<String> audience,
    String subjectClaim,
    boolean complete,
    boolean expiryRequired) {
  /** Tolerance for an issuer's clock that is fast (nbf and iat). */
  private static final long CLOCK_SKEW_MS = 30_000;

  /** Returns the principal of valid claims. */
  Principal principal(Map<String, Object> claims, long nowMs) throws AuthenticationFailure {
    checkIssuer(claims.get("iss"));
    checkAudience(claims.get("aud"));
    long expiresMs = timeMs(claims, "exp", Principal.NEVER);
    long issuedMs = timeMs(claims, "iat", 0);
    long notBeforeMs = timeMs(claims, "nbf", 0);
    Object tokenId = claims.getOrDefault("jti", "");
    if (!(tokenId instanceof String id)) {
      throw malformed("jti");
    }
    Principal owner = new Principal(subject(claims), mechanism, id, issuedMs, expiresMs, claims);
    checkTimes(owner, notBeforeMs, nowMs);
    return owner;
  }

  private void checkIssuer(Object named) throws AuthenticationFailure {
    boolean fits = named == null ? !complete : issuer.equals(named);
    if (!issuer.isEmpty() && !fits) {
      throw new AuthenticationFailure(Reason.REFUSED, "the token is of another issuer");
    }
  }

  private void checkAudience(Object named) throws AuthenticationFailure {
    if (!audience.isEmpty() && !isForUs(named)) {
      throw new AuthenticationFailure(Reason.REFUSED, "the token is for another audience");
    }
  }

  private boolean isForUs(Object named) {
    if (named == null) {
      return !complete;
    }
    return named instanceof List<?> several
        ? several.stream().anyMatch(audience::contains)
        : audience.contains(named);
  }

  // Checked last: the owner is known by then and is reported with the failure.
  private void checkTimes(Principal owner, long notBeforeMs, long nowMs)
      throws AuthenticationFailure {
    if (expiryRequired && owner.expiresMs() == Principal.NEVER) {
      String why = "the token has no expiry (exp)";
      throw new AuthenticationFailure(Reason.REFUSED, why, owner);
    }
    if (nowMs >= owner.expiresMs()) {
      throw new AuthenticationFailure(Reason.EXPIRED, "the token has expired", owner);
    }
    if (notBeforeMs - CLOCK_SKEW_MS > nowMs) {
      throw new AuthenticationFailure(Reason.REFUSED, "the token is not valid yet (nbf)", owner);
    }
    if (owner.issuedMs() - CLOCK_SKEW_MS > nowMs) {
      String why = "the token was issued in the future (iat)";
      throw new AuthenticationFailure(Reason.REFUSED, why, owner);
    }
  }

  private String subject(Map<String, Object> claims) throws AuthenticationFailure {
    if (claims.get(subjectClaim) instanceof String name && !name.isBlank()) {
      return name;
    }
    throw new AuthenticationFailure(
        Reason.REFUSED, "the token has no subject (" + subjectClaim + ")");
  }

  /**
   * Returns a time in milliseconds; the claim has seconds, possibly with a fraction. Values that
   * are too large are capped at the last finite time.
   */
  private static long timeMs(Map<String, Object> claims, String name, long absent)
      throws AuthenticationFailure {
    Object seconds = claims.get(name);
    if (seconds == null) {
      return absent;
    }
    if (!(seconds instanceof Number number)) {
      throw malformed(name);
    }
    double ms = number.doubleValue() * 1000;
    if (Double.isNaN(ms)) {
      throw malformed(name);
    }
    return Math.max(0, Math.min((long) ms, Principal.NEVER - 1));
  }

  private static AuthenticationFailure malformed(String name) {
    return new AuthenticationFailure(
        Reason.MALFORMED, "the token's " + name + " has the wrong type");
  }
}
