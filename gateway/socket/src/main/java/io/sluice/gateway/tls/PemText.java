package io.sluice.gateway.tls;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;

/**
 * Certificates and keys as options of Vert.x. They contain what was read and checked, because the
 * files may have changed since then. Stateless, for any thread.
 */
public final class PemText {
  private PemText() {}

  /** Returns the chain and key of an identity. */
  public static PemKeyCertOptions of(TlsIdentity identity) {
    return new PemKeyCertOptions()
        .addCertValue(certificates(identity.chain()))
        .addKeyValue(block("PRIVATE KEY", identity.key().getEncoded()));
  }

  /** Returns authorities. */
  public static PemTrustOptions of(List<X509Certificate> authorities) {
    return new PemTrustOptions().addCertValue(certificates(authorities));
  }

  private static Buffer certificates(List<X509Certificate> certificates) {
    Buffer all = Buffer.buffer();
    try {
      for (X509Certificate each : certificates) {
        all.appendBuffer(block("CERTIFICATE", each.getEncoded()));
      }
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException(e); // it was decoded from this form
    }
    return all;
  }

  private static Buffer block(String label, byte[] der) {
    byte[] end = {'\n'};
    String body = new String(Base64.getMimeEncoder(64, end).encode(der), StandardCharsets.US_ASCII);
    return Buffer.buffer(
        "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
  }
}
