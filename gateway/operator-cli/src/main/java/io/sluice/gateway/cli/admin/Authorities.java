package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.config.SettingFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Trust store with only the authorities of a PEM file. Stateless, for any thread. */
public final class Authorities {
  private Authorities() {}

  /**
   * Returns a TLS context that trusts the authorities of a file.
   *
   * @param option the option that names the file, for messages
   */
  public static SSLContext trust(String option, Path file) {
    try {
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(store(option, file));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (CertificateException e) {
      throw noCertificate(option, file, e);
    } catch (IOException | GeneralSecurityException e) {
      throw new CommandFailure(
          option + " " + file + " cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private static KeyStore store(String option, Path file)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw noCertificate(option, file, null);
      }
      for (Certificate each : found) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
    }
    return store;
  }

  private static CommandFailure noCertificate(String option, Path file, Exception cause) {
    return new CommandFailure(
        option + " " + file + " contains no PEM certificate (-----BEGIN CERTIFICATE-----)", cause);
  }
}
