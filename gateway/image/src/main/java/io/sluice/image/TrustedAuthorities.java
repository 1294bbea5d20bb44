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
 * Certificate authorities of Debian's ca-certificates, in the formats that its maintainer scripts
 * would generate for programs and for Java. For one thread.
 */
final class TrustedAuthorities {
  private static final String FOLDER = "usr/share/ca-certificates/";

  /** PEM files by path. */
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
      throw new IOException(caCertificates.file() + " contains no certificates in " + FOLDER);
    }
    return authorities;
  }

  /** Returns all certificates as one PEM file. */
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

  /**
   * Returns a PKCS #12 trust store. It has no password, because encryption would make its bytes
   * differ between builds.
   */
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
      throw new IOException("cannot create a trust store from ca-certificates", e);
    }
  }
}
