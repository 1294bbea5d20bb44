package io.sluice.gateway.admin.query;

import io.vertx.core.file.FileSystem;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.PemTrustOptions;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;

/**
 * Trust in the certificates of other nodes' admin ports. Immutable, for any thread.
 *
 * @param authorities PEM file of authorities; empty for those of the JDK
 */
record AdminPortTrust(String authorities) {
  /** Reads the authorities; blocks. The host name of a certificate is checked by default. */
  void secure(HttpClientOptions client, FileSystem files) {
    if (!authorities.isEmpty()) {
      client.setTrustOptions(
          new PemTrustOptions().addCertValue(files.readFileBlocking(authorities)));
    }
  }

  /** Returns the reason of a failed handshake; null for another failure. */
  String problem(Throwable failure) {
    String problem = null;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException) {
        return "its certificate is not issued by an authority "
            + (authorities.isEmpty()
                ? "of the JDK (admin.tls.ca is empty)"
                : "of admin.tls.ca (" + authorities + ")");
      }
      if (cause instanceof CertificateException) {
        problem = "its certificate is not accepted: " + cause.getMessage();
      } else if (cause instanceof SSLException && problem == null) {
        problem = "TLS failed: " + cause.getMessage();
      }
    }
    return problem;
  }
}
