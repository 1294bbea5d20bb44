package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import java.util.List;
import java.util.Map;

/**
 * What the claims of a token have to say, whoever vouches for them. Immutable, for any thread.
 *
 * @param issuer empty if any will do
 * @param audience empty if any will do
 * @param complete whether issuer, audience and, if required, the end have to be there at all
 */
record ClaimRules(
    Mechanism mechanism,
    String issuer,
    List<String> audience,
    String subjectClaim,
    long skewMs,
    boolean complete,
    boolean expiryRequired) {

  /** Whose the claims are, if they hold now. */
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

  // Last of all: whose the token is, is known by then, and told with the refusal.
  private void checkTimes(Principal owner, long notBeforeMs, long nowMs)
      throws AuthenticationFailure {
    if (expiryRequired && owner.expiresMs() == Principal.NEVER) {
      String why = "the token does not say when it ends (exp)";
      throw new AuthenticationFailure(Reason.REFUSED, why, owner);
    }
    if (nowMs >= owner.expiresMs()) {
      throw new AuthenticationFailure(Reason.EXPIRED, "the token has expired", owner);
    }
    if (notBeforeMs - skewMs > nowMs) {
      throw new AuthenticationFailure(Reason.REFUSED, "the token is not valid yet (nbf)", owner);
    }
    if (owner.issuedMs() - skewMs > nowMs) {
      String why = "the token was issued in the future (iat)";
      throw new AuthenticationFailure(Reason.REFUSED, why, owner);
    }
  }

  private String subject(Map<String, Object> claims) throws AuthenticationFailure {
    if (claims.get(subjectClaim) instanceof String name && !name.isBlank()) {
      return name;
    }
    throw new AuthenticationFailure(
        Reason.REFUSED, "the token does not say whose it is (" + subjectClaim + ")");
  }

  /** Seconds, with a fraction perhaps; a time beyond all calendars stays the last one before. */
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
        Reason.MALFORMED, "the token's " + name + " is not of the kind that it should be");
  }
}
