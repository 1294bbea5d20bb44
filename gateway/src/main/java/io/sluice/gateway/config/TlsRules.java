package io.sluice.gateway.config;

import java.util.List;

/** What must hold of TLS on the port for clients. Used once, by one thread. */
final class TlsRules {
  private final Findings findings;
  private final Config config;

  TlsRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    try {
      boolean off = TlsFiles.read(config).isEmpty();
      if (off) {
        List.of(
                ServerSettings.TLS_ENGINE,
                ServerSettings.TLS_CERTIFICATES,
                ServerSettings.TLS_RELOAD,
                ServerSettings.TLS_CLIENT_CA,
                ServerSettings.TLS_CLIENT_CRL)
            .forEach(this::hasNoEffectWithoutCertificate);
      } else if (config.get(ServerSettings.TLS_CLIENT_AUTH).equals("none")) {
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
}
