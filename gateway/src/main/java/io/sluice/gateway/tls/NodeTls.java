package io.sluice.gateway.tls;

import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Setting;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * What this node shows to other nodes, and by whose word it knows them. Immutable, for any thread.
 *
 * @param authorities whoever has a certificate of one of them is a node
 */
public record NodeTls(TlsIdentity identity, List<X509Certificate> authorities) {
  public NodeTls {
    authorities = List.copyOf(authorities);
  }

  /**
   * Reads the files.
   *
   * @return empty if the configuration names none
   */
  public static Optional<NodeTls> read(Config config) throws UnusableTls {
    Optional<TlsIdentity> identity =
        TlsIdentity.read(config, ClusterSettings.TLS_CERTIFICATE, ClusterSettings.TLS_KEY);
    String authorities = config.get(ClusterSettings.TLS_CA);
    if (identity.isEmpty() && authorities.isEmpty()) {
      return Optional.empty();
    }
    if (identity.isEmpty()) {
      throw needs(ClusterSettings.TLS_CA, ClusterSettings.TLS_CERTIFICATE);
    }
    if (authorities.isEmpty()) {
      throw needs(ClusterSettings.TLS_CERTIFICATE, ClusterSettings.TLS_CA);
    }
    PemFile file = PemFile.read(ClusterSettings.TLS_CA, authorities);
    return Optional.of(new NodeTls(identity.get(), TlsIdentity.certificates(file)));
  }

  private static UnusableTls needs(Setting<?> given, Setting<?> missing) {
    return new UnusableTls(given, "needs " + missing.key() + " as well");
  }
}
