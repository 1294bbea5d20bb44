package io.sluice.gateway.auth;

import java.util.Map;

/**
 * Who a client is, as its credential says. Immutable, for any thread.
 *
 * @param name the subject; empty for the anonymous one
 * @param mechanism how that was shown
 * @param tokenId what the issuer calls the credential, empty if it doesn't
 * @param issuedMs when the credential was made, Unix milliseconds; 0 if it does not say
 * @param expiresMs when the credential ends, Unix milliseconds; {@link #NEVER} if it doesn't
 * @param claims what else is known of the client: strings, numbers, booleans, lists and maps of
 *     these
 */
public record Principal(
    String name,
    Mechanism mechanism,
    String tokenId,
    long issuedMs,
    long expiresMs,
    Map<String, Object> claims) {

  /** Stands for a credential without an end. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Whoever shows nothing, where that is allowed. */
  public static final Principal ANONYMOUS =
      new Principal("", Mechanism.ANONYMOUS, "", 0, NEVER, Map.of());

  /** The ways to show who one is. */
  public enum Mechanism {
    ANONYMOUS("anonymous"),
    JWT("jwt"),
    INTROSPECTION("introspection"),
    CERTIFICATE("certificate"),
    KERBEROS("kerberos");

    private final String word;

    Mechanism(String word) {
      this.word = word;
    }

    /** The word in metrics and the audit log. */
    public String word() {
      return word;
    }

    /**
     * Whether a session can be told of a fresh credential; a ticket comes with a handshake only.
     */
    public boolean isRenewable() {
      return this != KERBEROS;
    }
  }

  public Principal {
    claims = Map.copyOf(claims);
  }

  /** The same for those who no longer ask for claims, which may be large. */
  public Principal withoutClaims() {
    return claims.isEmpty()
        ? this
        : new Principal(name, mechanism, tokenId, issuedMs, expiresMs, Map.of());
  }

  /** Whether this one and the other are the same client, each by its own credential. */
  public boolean isSameAs(Principal other) {
    return name.equals(other.name) && mechanism == other.mechanism;
  }
}
