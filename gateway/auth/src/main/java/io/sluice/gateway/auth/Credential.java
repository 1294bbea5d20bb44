package io.sluice.gateway.auth;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Unchecked credential of a client. No {@code toString} contains the secret. Immutable, for any
 * thread.
 */
public sealed interface Credential {

  /** JWT or opaque token. */
  record Token(String value) implements Credential {
    @Override
    public String toString() {
      return "a token of " + value.length() + " characters";
    }
  }

  /**
   * Certificate chain of a client; the TLS handshake has proven possession of the key.
   *
   * @param chain the client's own first, verified against the node's authorities
   */
  record Certificate(List<X509Certificate> chain) implements Credential {}

  /** Kerberos or SPNEGO token of {@code Authorization: Negotiate}; empty if it is not base64. */
  record Ticket(byte[] value) implements Credential {
    @Override
    public String toString() {
      return "a ticket of " + value.length + " bytes";
    }
  }
}
