package io.sluice.gateway.auth;

import io.sluice.gateway.revocation.RevocableCredential;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Identity of a client, taken from its credential. Immutable, for any thread.
 *
 * @param name the subject; empty for {@link #ANONYMOUS}
 * @param mechanism by which the client was authenticated
 * @param tokenId the issuer's id of the credential, empty if it has none
 * @param issuedMs time of issue of the credential, Unix milliseconds; 0 if unknown
 * @param expiresMs expiry of the credential, Unix milliseconds; {@link #NEVER} without an expiry
 * @param claims further attributes of the client: strings, numbers, booleans, lists and maps of
 *     these
 */
public record Principal(
    String name,
    Mechanism mechanism,
    String tokenId,
    long issuedMs,
    long expiresMs,
    Map<String, Object> claims)
    implements RevocableCredential {

  /** Expiry of a credential that does not expire. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Principal of clients without a credential, where that is allowed. */
  public static final Principal ANONYMOUS =
      new Principal("", Mechanism.ANONYMOUS, "", 0, NEVER, Map.of());

  /** Authentication mechanisms. */
  public enum Mechanism {
    ANONYMOUS,
    JWT,
    INTROSPECTION,
    CERTIFICATE,
    KERBEROS;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the word in metrics and the audit log. */
    public String word() {
      return word;
    }

    /**
     * Returns whether a session can be refreshed with a new credential; a ticket is sent only with
     * a handshake.
     */
    public boolean isRenewable() {
      return this != KERBEROS;
    }
  }

  public Principal {
    claims = Map.copyOf(claims);
  }

  @Override
  public boolean isCertificate() {
    return mechanism == Mechanism.CERTIFICATE;
  }

  /** Returns this principal without its claims, which may be large. */
  public Principal withoutClaims() {
    return withClaims(Map.of());
  }

  /** Returns this principal with other claims. */
  Principal withClaims(Map<String, Object> kept) {
    return claims.isEmpty()
        ? this
        : new Principal(name, mechanism, tokenId, issuedMs, expiresMs, kept);
  }

  /**
   * Returns the principal as one text, which no other name or mechanism has. It is the name for a
   * JWT and without a credential. Otherwise it is mechanism and name, such as {@code
   * certificate:ann}.
   */
  public String id() {
    boolean plain = mechanism == Mechanism.JWT && !name.isEmpty() && !hasMechanism(name);
    return plain || mechanism == Mechanism.ANONYMOUS ? name : mechanism.word() + ":" + name;
  }

  private static boolean hasMechanism(String name) {
    return Stream.of(Mechanism.values()).anyMatch(each -> name.startsWith(each.word() + ":"));
  }

  /** Returns whether both credentials identify the same client. */
  public boolean isSameAs(Principal other) {
    return name.equals(other.name) && mechanism == other.mechanism;
  }
}
