package io.sluice.gateway.tls;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import java.util.List;

/**
 * Validation rules for the settings of TLS on both ports and between nodes. Reads the certificates
 * and keys. Used once, by one thread.
 */
public final class TlsRules {
  private static final String CERTIFICATE_AND_KEY =
      ServerSettings.TLS_CERTIFICATE.key() + " and " + ServerSettings.TLS_KEY.key();

  private final ConfigFindings findings;
  private final Config config;

  private TlsRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports every violated rule, and every file that cannot be used. */
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
        for (Setting<?> setting :
            List.of(
                ServerSettings.TLS_CERTIFICATES,
                ServerSettings.TLS_CLIENT_CA,
                ServerSettings.TLS_CLIENT_CRL)) {
          reportUnused(
              "a certificate",
              CERTIFICATE_AND_KEY,
              setting,
              ServerSettings.TLS_CERTIFICATE,
              ServerSettings.TLS_KEY);
        }
      } else if (!options.requestsClientCertificates()) {
        reportUnusedWithoutClients(ServerSettings.TLS_CLIENT_CA);
        reportUnusedWithoutClients(ServerSettings.TLS_CLIENT_CRL);
      }
      if (off && config.get(ServerSettings.HSTS).toSeconds() > 0) {
        findings.report(
            "has no effect without TLS",
            CERTIFICATE_AND_KEY,
            ServerSettings.HSTS,
            ServerSettings.TLS_CERTIFICATE,
            ServerSettings.TLS_KEY);
      }
    } catch (UnusableTls e) {
      findings.report(
          e.what(), "", e.setting(), ServerSettings.TLS_CERTIFICATE, ServerSettings.TLS_KEY);
    }
  }

  private void reportUnusedWithoutClients(Setting<?> setting) {
    String expected = ServerSettings.TLS_CLIENT_AUTH.key() + " optional or required";
    reportUnused("client certificates", expected, setting, ServerSettings.TLS_CLIENT_AUTH);
  }

  private void reportUnused(String missing, String expected, Setting<?>... settings) {
    if (findings.isGiven(settings[0])) {
      findings.report("has no effect without " + missing, expected, settings);
    }
  }

  private void checkAdmin() {
    try {
      TlsIdentity.read(KeyPairOptions.ofAdmin(config));
    } catch (UnusableTls e) {
      findings.report(
          e.what(), "", e.setting(), AdminSettings.TLS_CERTIFICATE, AdminSettings.TLS_KEY);
    }
    try {
      TlsIdentity.authorities(AdminSettings.TLS_CA, config.get(AdminSettings.TLS_CA));
    } catch (UnusableTls e) {
      findings.report(e.what(), "", e.setting());
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
      boolean certified =
          NodeTls.read(KeyPairOptions.ofNodes(config), config.get(ClusterSettings.TLS_CA))
              .isPresent();
      if (certified && secret) {
        findings.report(
            "is set together with cluster.secret or cluster.secret-file",
            "a secret or a certificate",
            ClusterSettings.TLS_CERTIFICATE);
      }
    } catch (UnusableTls e) {
      findings.report(e.what(), "", e.setting());
    }
  }
}
