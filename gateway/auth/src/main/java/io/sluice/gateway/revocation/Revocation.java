package io.sluice.gateway.revocation;

import java.util.Locale;

/**
 * Revocation of a credential, or of all credentials of a subject. Immutable, for any thread.
 *
 * <p>All times only rise when nodes merge their copies. Therefore the order of merges is
 * irrelevant. A removed revocation stays stored as a tombstone, so that no other node restores it.
 *
 * @param value the id of a token, the serial number of a certificate, or a subject; never empty
 * @param sinceMs time of the latest revocation, Unix milliseconds
 * @param untilMs time until which it is stored, Unix milliseconds
 * @param removedMs time of the latest removal, Unix milliseconds; 0 without one
 */
public record Revocation(Kind kind, String value, long sinceMs, long untilMs, long removedMs) {
  /** Maximum length of a value. */
  public static final int MAX_LENGTH = 1024;

  /** Kinds of revocations that are stored. */
  public enum Kind {
    /** A token, by the id that its issuer gave it. */
    TOKEN,
    /** A certificate, by its serial number in lower-case hexadecimal without leading zeros. */
    CERTIFICATE,
    /** All credentials of a client that were issued up to the revocation. */
    SUBJECT;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the word in the admin port's JSON, in the file and in the audit log. */
    public String word() {
      return word;
    }

    /** Returns the kind of a word, or null. */
    static Kind of(String word) {
      for (Kind kind : values()) {
        if (kind.word.equals(word)) {
          return kind;
        }
      }
      return null;
    }

    /** Returns whether this value identifies a credential, regardless of its time of issue. */
    public boolean names(RevocableCredential credential, String value) {
      return switch (this) {
        case TOKEN -> !credential.isCertificate() && credential.tokenId().equals(value);
        case CERTIFICATE -> credential.isCertificate() && credential.tokenId().equals(value);
        case SUBJECT -> credential.name().equals(value);
      };
    }
  }

  public Revocation {
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a value of " + value.length() + " characters; 1 to " + MAX_LENGTH + " are allowed");
    }
    if (sinceMs < 0 || untilMs < 0 || removedMs < 0) {
      throw new IllegalArgumentException("a time before 1970");
    }
  }

  /** Returns whether the revocation applies: it has not ended and is not removed. */
  boolean isInForce(long nowMs) {
    return !isRemoved() && untilMs > nowMs;
  }

  /** Returns whether it was removed after it was issued. */
  boolean isRemoved() {
    return removedMs > sinceMs;
  }

  /** Returns whether this credential is revoked. One without a time of issue counts as old. */
  boolean covers(RevocableCredential credential) {
    return kind.names(credential, value)
        && (kind != Kind.SUBJECT || credential.issuedMs() <= sinceMs);
  }

  /** Returns the union of two copies of a revocation. */
  Revocation mergedWith(Revocation other) {
    return new Revocation(
        kind,
        value,
        Math.max(sinceMs, other.sinceMs),
        Math.max(untilMs, other.untilMs),
        Math.max(removedMs, other.removedMs));
  }
}
