package io.sluice.gateway.tls;

import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.SettingFile.PemBlock;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Certificate chain and private key of the node, read from the configured files. Immutable, for any
 * thread.
 *
 * <p>They are checked here and not by the TLS engine, because the engines' messages name neither
 * the file nor the setting.
 *
 * @param chain the node's own certificate first
 */
public record TlsIdentity(PrivateKey key, List<X509Certificate> chain) {
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String PKCS8 = "PRIVATE KEY";
  private static final String ENCRYPTED = "ENCRYPTED PRIVATE KEY";

  /** Signature algorithms by the kinds of keys that both engines support. */
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

  /**
   * Reads and checks the files.
   *
   * @return empty if none is configured
   */
  public static Optional<TlsIdentity> read(KeyPairOptions files) throws UnusableTls {
    if (files.isEmpty()) {
      return Optional.empty();
    }
    requirePartner(files.certificateSetting(), files.key(), files.keySetting());
    requirePartner(files.keySetting(), files.certificate(), files.certificateSetting());
    return Optional.of(
        read(
            PemFile.read(files.certificateSetting(), files.certificate()),
            PemFile.read(files.keySetting(), files.key())));
  }

  /**
   * Reads and checks a file with certificates of authorities.
   *
   * @param name empty if none is configured
   */
  public static List<X509Certificate> authorities(Setting<?> setting, String name)
      throws UnusableTls {
    return name.isEmpty() ? List.of() : certificates(PemFile.read(setting, name));
  }

  /** Reads a pair of files. Their keys must match. */
  static TlsIdentity read(PemFile certificateFile, PemFile keyFile) throws UnusableTls {
    TlsIdentity identity = new TlsIdentity(key(keyFile), chain(certificateFile));
    if (!identity.isKeyPair()) {
      throw keyFile.unusable(
          "does not belong to the first certificate of " + certificateFile.name(), null);
    }
    return identity;
  }

  private static void requirePartner(Setting<?> given, String value, Setting<?> partner)
      throws UnusableTls {
    if (value.isEmpty()) {
      throw new UnusableTls(given, "needs " + partner.key() + " as well");
    }
  }

  private static List<X509Certificate> chain(PemFile file) throws UnusableTls {
    List<X509Certificate> chain = certificates(file);
    String kind = chain.get(0).getPublicKey().getAlgorithm();
    if (!SIGNATURES.containsKey(kind)) {
      throw file.unusable("has a certificate for a key of kind " + kind + ", not RSA or EC", null);
    }
    return chain;
  }

  /** Returns all certificates of a file, at least one. */
  static List<X509Certificate> certificates(PemFile file) throws UnusableTls {
    List<X509Certificate> found = new ArrayList<>();
    for (PemBlock block : file.blocks(CERTIFICATE)) {
      found.add(certificate(file, block));
    }
    if (found.isEmpty()) {
      throw file.unusable("holds no PEM certificate (-----BEGIN CERTIFICATE-----)", null);
    }
    return List.copyOf(found);
  }

  private static X509Certificate certificate(PemFile file, PemBlock block) throws UnusableTls {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(block.der()));
    } catch (CertificateException e) {
      throw file.unusable("holds a malformed certificate: " + e.getMessage(), e);
    }
  }

  private static PrivateKey key(PemFile file) throws UnusableTls {
    List<PemBlock> keys = file.blocks(PKCS8);
    if (keys.size() == 1) {
      return key(file, keys.get(0).der());
    }
    if (keys.size() > 1) {
      throw file.unusable("holds " + keys.size() + " private keys, not one", null);
    }
    if (!file.blocks(ENCRYPTED).isEmpty()) {
      throw file.unusable("is encrypted; 'openssl pkcs8 -in FILE' decrypts it", null);
    }
    boolean older = file.blocks().stream().anyMatch(block -> block.label().endsWith(PKCS8));
    throw file.unusable(
        older
            ? "is not PKCS#8; 'openssl pkcs8 -topk8 -nocrypt -in FILE' converts it"
            : "holds no PEM private key (-----BEGIN PRIVATE KEY-----)",
        null);
  }

  private static PrivateKey key(PemFile file, byte[] der) throws UnusableTls {
    for (String kind : SIGNATURES.keySet()) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (InvalidKeySpecException another) {
        // The next kind is tried.
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e); // every JDK supports both
      }
    }
    throw file.unusable("holds a private key that is malformed, or neither RSA nor EC", null);
  }

  /** Returns whether the certificate verifies a signature of the key. */
  private boolean isKeyPair() {
    PublicKey own = chain.get(0).getPublicKey();
    if (!own.getAlgorithm().equals(key.getAlgorithm())) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance(SIGNATURES.get(key.getAlgorithm()));
      signature.initSign(key);
      signature.update(own.getEncoded());
      byte[] signed = signature.sign();
      signature.initVerify(own);
      signature.update(own.getEncoded());
      return signature.verify(signed);
    } catch (GeneralSecurityException differentSizes) {
      return false;
    }
  }
}
