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
                Settings.SERVER_TLS_ENGINE,
                Settings.SERVER_TLS_CERTIFICATES,
                Settings.SERVER_TLS_OCSP_RESPONSES,
                Settings.SERVER_TLS_RELOAD,
                Settings.SERVER_TLS_CLIENT_CA,
                Settings.SERVER_TLS_CLIENT_CRL)
            .forEach(this::hasNoEffectWithoutCertificate);
      } else if (config.get(Settings.SERVER_TLS_CLIENT_AUTH).equals("none")) {
        hasNoEffectWithoutClientAuth(Settings.SERVER_TLS_CLIENT_CA);
        hasNoEffectWithoutClientAuth(Settings.SERVER_TLS_CLIENT_CRL);
      }
      if (config.get(Settings.SERVER_TLS_ENGINE).equals("jdk")
          && !config.get(Settings.SERVER_TLS_OCSP_RESPONSES).isEmpty()) {
        findings.report(
            "the engine jdk cannot give them to clients",
            "server.tls.engine auto or openssl",
            Settings.SERVER_TLS_OCSP_RESPONSES,
            Settings.SERVER_TLS_ENGINE);
      }
      if (off && config.get(Settings.SERVER_HSTS).toSeconds() > 0) {
        findings.report(
            "browsers believe it only by TLS, which the node does not speak without a certificate",
            Settings.SERVER_TLS_CERTIFICATE.key() + " and " + Settings.SERVER_TLS_KEY.key(),
            Settings.SERVER_HSTS,
            Settings.SERVER_TLS_CERTIFICATE,
            Settings.SERVER_TLS_KEY);
      }
    } catch (UnusableTls e) {
      findings.report(
          e.what(), "", e.setting(), Settings.SERVER_TLS_CERTIFICATE, Settings.SERVER_TLS_KEY);
    }
  }

  private void hasNoEffectWithoutCertificate(Setting<?> setting) {
    if (findings.isGiven(setting)) {
      findings.report(
          "has no effect without a certificate",
          Settings.SERVER_TLS_CERTIFICATE.key() + " and " + Settings.SERVER_TLS_KEY.key(),
          setting,
          Settings.SERVER_TLS_CERTIFICATE,
          Settings.SERVER_TLS_KEY);
    }
  }

  private void hasNoEffectWithoutClientAuth(Setting<?> setting) {
    if (findings.isGiven(setting)) {
      findings.report(
          "has no effect while clients are asked for no certificate",
          Settings.SERVER_TLS_CLIENT_AUTH.key() + " optional or required",
          setting,
          Settings.SERVER_TLS_CLIENT_AUTH);
    }
  }
}
