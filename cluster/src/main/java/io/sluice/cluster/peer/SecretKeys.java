package io.sluice.cluster.peer;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Derivation of a key pair from the shared secret, the same on every node. Stateless, for any
 * thread.
 *
 * <p>The derivation is slow on purpose: every peer receives the public key, against which guesses
 * can be tested.
 */
final class SecretKeys {
  /** Number of iterations recommended by OWASP for PBKDF2 with SHA-256. */
  private static final int ROUNDS = 600_000;

  private static final int SEED_BYTES = 32;

  private SecretKeys() {}

  static KeyPair derive(String secret, String cluster) throws GeneralSecurityException {
    byte[] seed = stretch(secret, "sluice cluster " + cluster);
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(NamedParameterSpec.ED25519, new Fixed(seed));
    KeyPair pair = generator.generateKeyPair();
    requireDerived(pair, seed);
    return pair;
  }

  private static byte[] stretch(String secret, String salt) throws GeneralSecurityException {
    byte[] saltBytes = salt.getBytes(StandardCharsets.UTF_8);
    PBEKeySpec spec = new PBEKeySpec(secret.toCharArray(), saltBytes, ROUNDS, SEED_BYTES * 8);
    return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
  }

  /**
   * Checks that the key equals the seed. An Ed25519 key is any 32 bytes (RFC 8032), and the JDK
   * uses the first random bytes.
   */
  private static void requireDerived(KeyPair pair, byte[] seed) throws GeneralSecurityException {
    byte[] key = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElseThrow();
    if (!Arrays.equals(key, seed)) {
      throw new GeneralSecurityException("this JDK does not derive Ed25519 keys from a seed");
    }
  }

  /** Deterministic source of bytes for the key generator. */
  private static final class Fixed extends SecureRandom {
    private static final long serialVersionUID = 1;

    private final byte[] seed;

    Fixed(byte[] seed) {
      this.seed = seed;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      System.arraycopy(seed, 0, bytes, 0, Math.min(bytes.length, seed.length));
    }
  }
}
