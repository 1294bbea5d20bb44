package io.sluice.gateway.revocation;

/** Credential as a revocation identifies it. Immutable, for any thread. */
public interface RevocableCredential {
  /** Returns the subject; empty for clients without a credential. */
  String name();

  /** Returns the issuer's id or the serial number of the credential; empty if it has none. */
  String tokenId();

  /** Returns the time of issue, Unix milliseconds; 0 if unknown. */
  long issuedMs();

  /** Returns whether the credential is a certificate. */
  boolean isCertificate();
}
