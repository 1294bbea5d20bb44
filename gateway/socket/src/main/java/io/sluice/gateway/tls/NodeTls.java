package io.sluice.gateway.tls;

import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Setting;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * Certificate of this node for other nodes, and the certificate authorities of all nodes.
 * Immutable, for any thread.
 *
 * @param authorities issuers of the nodes' certificates
 */
public record NodeTls(TlsIdentity identity, List<X509Certificate> authorities) {
  public NodeTls {
    authorities = List.copyOf(authorities);
  }

  /**
   * Reads the files.
   *
   * @param ca the authorities' file; empty if none is configured
   * @return empty if no file is configured
   */
  public static Optional<NodeTls> read(KeyPairOptions files, String ca) throws UnusableTls {
    Optional<TlsIdentity> identity = TlsIdentity.read(files);
    if (identity.isEmpty() && ca.isEmpty()) {
      return Optional.empty();
    }
    if (identity.isEmpty()) {
      throw needs(ClusterSettings.TLS_CA, ClusterSettings.TLS_CERTIFICATE);
    }
    if (ca.isEmpty()) {
      throw needs(ClusterSettings.TLS_CERTIFICATE, ClusterSettings.TLS_CA);
    }
    PemFile file = PemFile.read(ClusterSettings.TLS_CA, ca);
    return Optional.of(new NodeTls(identity.get(), TlsIdentity.certificates(file)));
  }

  private static UnusableTls needs(Setting<?> given, Setting<?> missing) {
    return new UnusableTls(given, "needs " + missing.key() + " as well");
  }
}
