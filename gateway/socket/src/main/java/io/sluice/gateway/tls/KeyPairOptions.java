package io.sluice.gateway.tls;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;

/**
 * Files of a certificate and its private key, with the settings that name them. Immutable.
 *
 * @param certificate the certificate file; empty if none is configured
 * @param key the key file; empty if none is configured
 */
public record KeyPairOptions(
    Setting<String> certificateSetting,
    String certificate,
    Setting<String> keySetting,
    String key) {
  /** Returns the files of the clients' port. */
  public static KeyPairOptions ofClients(Config config) {
    return of(config, ServerSettings.TLS_CERTIFICATE, ServerSettings.TLS_KEY);
  }

  /** Returns the files of the admin port. */
  public static KeyPairOptions ofAdmin(Config config) {
    return of(config, AdminSettings.TLS_CERTIFICATE, AdminSettings.TLS_KEY);
  }

  /** Returns the files for connections between nodes. */
  public static KeyPairOptions ofNodes(Config config) {
    return of(config, ClusterSettings.TLS_CERTIFICATE, ClusterSettings.TLS_KEY);
  }

  /** Returns the files for links to nodes of other tiers. */
  public static KeyPairOptions ofLinks(Config config) {
    return of(config, LinkSettings.CERTIFICATE, LinkSettings.KEY);
  }

  private static KeyPairOptions of(
      Config config, Setting<String> certificate, Setting<String> key) {
    return new KeyPairOptions(certificate, config.get(certificate), key, config.get(key));
  }

  /** Returns whether neither file is configured. */
  boolean isEmpty() {
    return certificate.isEmpty() && key.isEmpty();
  }
}
