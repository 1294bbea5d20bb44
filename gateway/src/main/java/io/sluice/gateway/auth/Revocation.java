package io.sluice.gateway.auth;

/**
 * One thing that an operator has withdrawn. Immutable, for any thread.
 *
 * @param value the id of a token, or a subject; never empty
 * @param sinceMs when that was, Unix milliseconds
 * @param untilMs how long it is remembered, likewise
 */
public record Revocation(Kind kind, String value, long sinceMs, long untilMs) {
  /** What can be withdrawn so that it is remembered. */
  public enum Kind {
    /** A token, by the id that its issuer gave it. */
    TOKEN("token"),
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
  }

  /** Whether this credential is meant. One that doesn't say when it was made counts as old. */
  boolean covers(Principal principal) {
    return kind == Kind.TOKEN
        ? principal.tokenId().equals(value)
        : principal.name().equals(value) && principal.issuedMs() <= sinceMs;
  }
}
