package io.sluice.gateway.auth;

/**
 * Revocation of a credential, or of all credentials of a subject. Immutable, for any thread.
 *
 * @param value the id of a token, the serial number of a certificate, or a subject; never empty
 * @param sinceMs time of the revocation, Unix milliseconds
 * @param untilMs time until which it is stored, Unix milliseconds
 */
public record Revocation(Kind kind, String value, long sinceMs, long untilMs) {
  /** Kinds of revocations that are stored. */
  public enum Kind {
    /** A token, by the id that its issuer gave it. */
    TOKEN("token"),
    /** A certificate, by its serial number in lower-case hexadecimal without leading zeros. */
    CERTIFICATE("certificate"),
    /** All credentials of a client that were issued up to the revocation. */
    SUBJECT("subject");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** Returns the word in the admin port's JSON and in the audit log. */
    public String word() {
      return word;
    }

    /** Returns whether this value identifies a credential, regardless of its time of issue. */
    public boolean names(Principal principal, String value) {
      boolean isCertificate = principal.mechanism() == Principal.Mechanism.CERTIFICATE;
      return switch (this) {
        case TOKEN -> !isCertificate && principal.tokenId().equals(value);
        case CERTIFICATE -> isCertificate && principal.tokenId().equals(value);
        case SUBJECT -> principal.name().equals(value);
      };
    }
  }

  /** Returns whether this credential is revoked. One without a time of issue counts as old. */
  boolean covers(Principal principal) {
    return kind.names(principal, value)
        && (kind != Kind.SUBJECT || principal.issuedMs() <= sinceMs);
  }
}
