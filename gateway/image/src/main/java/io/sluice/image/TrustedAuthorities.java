package io.sluice.image;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The authorities of Debian's ca-certificates, as the scripts of its packages would give them to
 * programs and to Java. For one thread.
 */
final class TrustedAuthorities {
  private static final String FOLDER = "usr/share/ca-certificates/";

  /** Each in PEM, by the path of its file. */
  private final SortedMap<String, byte[]> certificates = new TreeMap<>();

  static TrustedAuthorities of(DebianPackage caCertificates) throws IOException {
    TrustedAuthorities authorities = new TrustedAuthorities();
    caCertificates.visit(
        (path, entry, content) -> {
          if (path.startsWith(FOLDER) && path.endsWith(".crt")) {
            authorities.certificates.put(path.substring(FOLDER.length()), content.readAllBytes());
          }
        });
    if (authorities.certificates.isEmpty()) {
      throw new IOException(caCertificates.file() + " holds no certificates in " + FOLDER);
    }
    return authorities;
  }

  /** All in PEM, one after the other. */
  byte[] pem() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] each : certificates.values()) {
      all.write(each);
      if (each[each.length - 1] != '\n') {
        all.write('\n');
      }
    }
    return all.toByteArray();
  }

  /** A key store without a password, which only then is the same each time. */
  byte[] keyStore() throws IOException {
    System.setProperty("keystore.pkcs12.certProtectionAlgorithm", "NONE");
    System.setProperty("keystore.pkcs12.macAlgorithm", "NONE");
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      for (Map.Entry<String, byte[]> each : certificates.entrySet()) {
        Certificate certificate =
            factory.generateCertificate(new ByteArrayInputStream(each.getValue()));
        store.setCertificateEntry(each.getKey(), certificate);
      }
      ByteArrayOutputStream stored = new ByteArrayOutputStream();
      store.store(stored, null);
      return stored.toByteArray();
    } catch (GeneralSecurityException e) {
      throw new IOException("the certificates of ca-certificates can't be stored", e);
    }
  }
}
