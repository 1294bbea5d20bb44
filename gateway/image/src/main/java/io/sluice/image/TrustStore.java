package io.sluice.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/**
 * Program that converts certificate authorities to Java's trust store, because the maintainer
 * scripts that would do so do not run. The store has no password: encryption would make its bytes
 * differ between builds.
 */
public final class TrustStore {
  private TrustStore() {}

  /**
   * Writes a PKCS #12 trust store.
   *
   * @param arguments the PEM file to read and the file to write
   */
  public static void main(String[] arguments) throws IOException, GeneralSecurityException {
    System.setProperty("keystore.pkcs12.certProtectionAlgorithm", "NONE");
    System.setProperty("keystore.pkcs12.macAlgorithm", "NONE");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream pem = Files.newInputStream(Path.of(arguments[0]))) {
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("authority-%03d".formatted(store.size()), each);
      }
    }
    try (OutputStream out = Files.newOutputStream(Path.of(arguments[1]))) {
      store.store(out, null);
    }
  }
}
