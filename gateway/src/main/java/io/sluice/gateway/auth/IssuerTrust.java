package io.sluice.gateway.auth;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.SettingFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Trusts the JDK's authorities and those of a file. Stateless. */
final class IssuerTrust {
  private IssuerTrust() {}

  static SSLContext read(String name) throws UnusableAuth {
    try (InputStream in = Files.newInputStream(Path.of(name))) {
      Collection<? extends Certificate> added = certificates(name, in);
      KeyStore all = ofTheJdk();
      for (Certificate each : added) {
        all.setCertificateEntry("added-" + all.size(), each);
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers(all), null);
      return context;
    } catch (InvalidPathException e) {
      throw unusable(name + " is not the name of a file", e);
    } catch (IOException | GeneralSecurityException e) {
      throw unusable(name + " cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private static Collection<? extends Certificate> certificates(String name, InputStream in)
      throws UnusableAuth {
    String none = name + " holds no PEM certificate (-----BEGIN CERTIFICATE-----)";
    try {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw unusable(none, null);
      }
      return found;
    } catch (CertificateException e) {
      throw unusable(none + ", or one that is malformed: " + e.getMessage(), e);
    }
  }

  private static KeyStore ofTheJdk() throws GeneralSecurityException, IOException {
    KeyStore all = KeyStore.getInstance("PKCS12");
    all.load(null, null);
    for (TrustManager each : managers(null)) {
      if (each instanceof X509TrustManager manager) {
        for (Certificate authority : manager.getAcceptedIssuers()) {
          all.setCertificateEntry("jdk-" + all.size(), authority);
        }
      }
    }
    return all;
  }

  private static TrustManager[] managers(KeyStore store) throws GeneralSecurityException {
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    return managers.getTrustManagers();
  }

  private static UnusableAuth unusable(String what, Exception cause) {
    return new UnusableAuth(AuthSettings.TRUST, what, cause);
  }
}
