package io.sluice.gateway.auth;

import java.security.cert.X509Certificate;
import java.util.List;

/** What a client shows, unchecked. No text of one holds the secret. */
public sealed interface Credential {

  /** A token of whatever kind: JWT or opaque. */
  record Token(String value) implements Credential {
    @Override
    public String toString() {
      return "a token of " + value.length() + " characters";
    }
  }

  /**
   * The certificate of a client whose TLS handshake has shown that it holds the key.
   *
   * @param chain the client's own first, verified against the node's authorities
   */
  record Certificate(List<X509Certificate> chain) implements Credential {}

  /** The bytes behind {@code Authorization: Negotiate}; none if they could not be read. */
  record Ticket(byte[] value) implements Credential {
    @Override
    public String toString() {
      return "a ticket of " + value.length + " bytes";
    }
  }
}
