package io.sluice.gateway.auth;

/**
 * One thing that an operator has withdrawn. Immutable, for any thread.
 *
 * @param value the id of a token, the serial number of a certificate, or a subject; never empty
 * @param sinceMs when that was, Unix milliseconds
 * @param untilMs how long it is remembered, likewise
 */
public record Revocation(Kind kind, String value, long sinceMs, long untilMs) {
  /** What can be withdrawn so that it is remembered. */
  public enum Kind {
    /** A token, by the id that its issuer gave it. */
    TOKEN("token"),
    /** A certificate, by its serial number in lower-case hexadecimal without leading zeros. */
    CERTIFICATE("certificate"),
    /** Whatever credentials a client had at that time. */
    SUBJECT("subject");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** The word in the admin port's JSON and in the audit log. */
    public String word() {
      return word;
    }

    /** Whether a credential, whenever it was made, is called so. */
    public boolean names(Principal principal, String value) {
      boolean isCertificate = principal.mechanism() == Principal.Mechanism.CERTIFICATE;
      return switch (this) {
        case TOKEN -> !isCertificate && principal.tokenId().equals(value);
        case CERTIFICATE -> isCertificate && principal.tokenId().equals(value);
        case SUBJECT -> principal.name().equals(value);
      };
    }
  }

  /** Whether this credential is meant. One that doesn't say when it was made counts as old. */
  boolean covers(Principal principal) {
    return kind.names(principal, value)
        && (kind != Kind.SUBJECT || principal.issuedMs() <= sinceMs);
  }
}
