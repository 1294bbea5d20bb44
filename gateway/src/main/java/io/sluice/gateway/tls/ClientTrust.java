package io.sluice.gateway.tls;

import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.SettingFile.PemBlock;
import java.io.ByteArrayInputStream;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Authorities and revocation lists of clients' certificates. Immutable, for any thread.
 *
 * @param required whether a client without one is refused
 * @param authorities the trust anchors, one at least
 * @param revoked the revocation lists of the authorities; empty if revocation is not checked
 */
public record ClientTrust(
    boolean required, List<X509Certificate> authorities, List<X509CRL> revoked) {
  /** The lists of large authorities name hundreds of thousands of certificates. */
  static final int MOST_CRL_BYTES = 64 * 1024 * 1024;

  private static final String CRL = "X509 CRL";

  public ClientTrust {
    authorities = List.copyOf(authorities);
    revoked = List.copyOf(revoked);
  }

  /**
   * Reads the files.
   *
   * @return empty if clients are not asked for certificates
   */
  static Optional<ClientTrust> read(TlsOptions options) throws UnusableTls {
    if (!options.asksClients()) {
      return Optional.empty();
    }
    if (options.clientCa().isEmpty()) {
      throw new UnusableTls(
          ServerSettings.TLS_CLIENT_AUTH, "needs " + ServerSettings.TLS_CLIENT_CA.key());
    }
    return Optional.of(
        new ClientTrust(
            options.clientAuth().equals("required"),
            TlsIdentity.certificates(
                PemFile.read(ServerSettings.TLS_CLIENT_CA, options.clientCa())),
            revocations(options.clientCrl())));
  }

  static List<X509CRL> revocations(String name) throws UnusableTls {
    if (name.isEmpty()) {
      return List.of();
    }
    byte[] bytes = PemFile.load(ServerSettings.TLS_CLIENT_CRL, name, MOST_CRL_BYTES);
    PemFile file = PemFile.parse(ServerSettings.TLS_CLIENT_CRL, name, PemFile.text(bytes));
    if (file.blocks(CRL).isEmpty()) {
      return List.of(revocation(file, bytes));
    }
    List<X509CRL> found = new ArrayList<>();
    for (PemBlock block : file.blocks(CRL)) {
      found.add(revocation(file, block.der()));
    }
    return found;
  }

  private static X509CRL revocation(PemFile file, byte[] der) throws UnusableTls {
    try {
      return (X509CRL)
          CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(der));
    } catch (CertificateException | CRLException e) {
      String what = "holds no revocation list (PEM, -----BEGIN X509 CRL-----, or DER)";
      throw file.unusable(what, e);
    }
  }
}
