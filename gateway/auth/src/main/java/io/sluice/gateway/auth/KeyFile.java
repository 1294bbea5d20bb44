package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.SettingFile;
import io.sluice.gateway.config.SettingFile.PemBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.lang.JoseException;

/**
 * File with public keys: a JWKS, or PEM blocks of keys and certificates. Only the key of a
 * certificate is used. Error messages name the file and the setting. Immutable, for any thread.
 */
final class KeyFile {
  private static final int MAX_BYTES = 1024 * 1024;
  private static final List<String> KINDS = List.of("RSA", "EC", "EdDSA");

  private final Path path;

  KeyFile(Path path) {
    this.path = path;
  }

  List<PublicJsonWebKey> keys() throws UnusableAuth {
    String text = text();
    List<PublicJsonWebKey> keys = text.stripLeading().startsWith("{") ? jwks(text) : pem(text);
    if (keys.isEmpty()) {
      throw unusable(
          "contains no public key: neither PEM (-----BEGIN PUBLIC KEY-----) nor JWKS", null);
    }
    return keys;
  }

  private String text() throws UnusableAuth {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw unusable("has more than " + MAX_BYTES + " bytes", null);
      }
      return new String(bytes, UTF_8);
    } catch (IOException e) {
      throw unusable("cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private List<PublicJsonWebKey> jwks(String text) throws UnusableAuth {
    try {
      KeyRing ring = KeyRing.ofJwks(text);
      if (ring.unusable() > 0) {
        throw unusable(
            "contains "
                + ring.unusable()
                + " keys that are not public, of an unknown type, or RSA under "
                + KeyRing.MIN_RSA_BITS
                + " bits",
            null);
      }
      return ring.keys();
    } catch (JoseException e) {
      throw unusable("is not a JWKS: " + e.getMessage(), e);
    }
  }

  private List<PublicJsonWebKey> pem(String text) throws UnusableAuth {
    List<PublicJsonWebKey> keys = new ArrayList<>();
    try {
      for (PemBlock block : SettingFile.pemBlocks(text)) {
        keys.add(key(block));
      }
    } catch (IllegalArgumentException e) {
      throw unusable(e.getMessage(), e);
    }
    return keys;
  }

  private PublicJsonWebKey key(PemBlock block) throws UnusableAuth {
    PublicKey found =
        switch (block.label()) {
          case "PUBLIC KEY" -> publicKey(block.der());
          case "CERTIFICATE" -> certificateKey(block.der());
          default ->
              throw unusable(
                  "contains a block "
                      + block.label()
                      + ", not PUBLIC KEY or CERTIFICATE; 'openssl pkey -pubout' writes the former",
                  null);
        };
    try {
      PublicJsonWebKey key = PublicJsonWebKey.Factory.newPublicJwk(found);
      if (KeyRing.isLongEnough(key)) {
        return key;
      }
    } catch (JoseException e) {
      throw unusable("contains a key of a type that cannot sign JWTs: " + e.getMessage(), e);
    }
    throw unusable("contains an RSA key under " + KeyRing.MIN_RSA_BITS + " bits", null);
  }

  private PublicKey publicKey(byte[] der) throws UnusableAuth {
    for (String kind : KINDS) {
      try {
        return KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(der));
      } catch (InvalidKeySpecException otherKind) {
        // try the next kind
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e); // every JDK supports all three
      }
    }
    throw unusable("contains a key that is malformed, or none of " + KINDS, null);
  }

  private PublicKey certificateKey(byte[] der) throws UnusableAuth {
    try {
      return CertificateFactory.getInstance("X.509")
          .generateCertificate(new ByteArrayInputStream(der))
          .getPublicKey();
    } catch (CertificateException e) {
      throw unusable("contains a malformed certificate: " + e.getMessage(), e);
    }
  }

  private UnusableAuth unusable(String what, Exception cause) {
    return new UnusableAuth(AuthSettings.JWT_KEYS, path + " " + what, cause);
  }
}
