package io.sluice.gateway.tls;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import java.util.List;

/**
 * Rules of TLS on both ports and between nodes. Reads the certificates and keys. Used once, by one
 * thread.
 */
public final class TlsRules {
  private final ConfigFindings findings;
  private final Config config;

  private TlsRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports every rule that a configuration breaks, and every file that cannot be used. */
  public static void check(ConfigFindings findings) {
    TlsRules rules = new TlsRules(findings);
    rules.checkClients();
    rules.checkAdmin();
    rules.checkNodes();
  }

  private void checkClients() {
    try {
      TlsOptions options = TlsOptions.of(config);
      boolean off = TlsFiles.read(options).isEmpty();
      if (off) {
        List.of(
                ServerSettings.TLS_CERTIFICATES,
                ServerSettings.TLS_CLIENT_CA,
                ServerSettings.TLS_CLIENT_CRL)
            .forEach(this::hasNoEffectWithoutCertificate);
      } else if (!options.asksClients()) {
        hasNoEffectWithoutClientAuth(ServerSettings.TLS_CLIENT_CA);
        hasNoEffectWithoutClientAuth(ServerSettings.TLS_CLIENT_CRL);
      }
      if (off && config.get(ServerSettings.HSTS).toSeconds() > 0) {
        findings.report(
            "browsers believe it only by TLS, which the node does not speak without a certificate",
            ServerSettings.TLS_CERTIFICATE.key() + " and " + ServerSettings.TLS_KEY.key(),
            ServerSettings.HSTS,
            ServerSettings.TLS_CERTIFICATE,
            ServerSettings.TLS_KEY);
      }
    } catch (UnusableTls e) {
      findings.report(
          e.what(), "", e.setting(), ServerSettings.TLS_CERTIFICATE, ServerSettings.TLS_KEY);
    }
  }

  private void hasNoEffectWithoutCertificate(Setting<?> setting) {
    if (findings.isGiven(setting)) {
      findings.report(
          "has no effect without a certificate",
          ServerSettings.TLS_CERTIFICATE.key() + " and " + ServerSettings.TLS_KEY.key(),
          setting,
          ServerSettings.TLS_CERTIFICATE,
          ServerSettings.TLS_KEY);
    }
  }

  private void hasNoEffectWithoutClientAuth(Setting<?> setting) {
    if (findings.isGiven(setting)) {
      findings.report(
          "has no effect while clients are asked for no certificate",
          ServerSettings.TLS_CLIENT_AUTH.key() + " optional or required",
          setting,
          ServerSettings.TLS_CLIENT_AUTH);
    }
  }

  private void checkAdmin() {
    try {
      TlsIdentity.read(KeyPairOptions.ofAdmin(config));
    } catch (UnusableTls e) {
      findings.report(
          e.what(), "", e.setting(), AdminSettings.TLS_CERTIFICATE, AdminSettings.TLS_KEY);
    }
  }

  private void checkNodes() {
    if (config.get(ClusterSettings.NAME).isEmpty()) {
      return;
    }
    boolean secret =
        !config.get(ClusterSettings.SECRET).isEmpty()
            || !config.get(ClusterSettings.SECRET_FILE).isEmpty();
    try {
      boolean certified = NodeTls.read(KeyPairOptions.ofNodes(config), config.get(ClusterSettings.TLS_CA))
              .isPresent();
      if (!certified) {
        findings.needless(
            ClusterSettings.TLS_RELOAD, "a certificate", ClusterSettings.TLS_CERTIFICATE.key());
      }
      if (certified && secret) {
        findings.report(
            "nodes know each other by a secret already",
            "a secret or a certificate",
            ClusterSettings.TLS_CERTIFICATE);
      }
    } catch (UnusableTls e) {
      findings.report(e.what(), "", e.setting());
    }
  }
}
