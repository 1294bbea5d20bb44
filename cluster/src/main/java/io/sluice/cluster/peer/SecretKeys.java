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
 * The pair of keys that follows from a secret, the same on every node. No state, for any thread.
 *
 * <p>Slow on purpose: whoever connects is shown the public key and could try guesses against it.
 */
final class SecretKeys {
  /** What OWASP recommends for PBKDF2 with SHA-256. */
  private static final int ROUNDS = 600_000;

  private static final int SEED_BYTES = 32;

  private SecretKeys() {}

  static KeyPair derive(String secret, String cluster) throws GeneralSecurityException {
    byte[] seed = stretch(secret, "sluice cluster " + cluster);
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(NamedParameterSpec.ED25519, new Fixed(seed));
    KeyPair pair = generator.generateKeyPair();
    checkThatItFollows(pair, seed);
    return pair;
  }

  private static byte[] stretch(String secret, String salt) throws GeneralSecurityException {
    byte[] saltBytes = salt.getBytes(StandardCharsets.UTF_8);
    PBEKeySpec spec = new PBEKeySpec(secret.toCharArray(), saltBytes, ROUNDS, SEED_BYTES * 8);
    return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
  }

  /** An Ed25519 key is any 32 bytes (RFC 8032), and the JDK takes the first that it is given. */
  private static void checkThatItFollows(KeyPair pair, byte[] seed)
      throws GeneralSecurityException {
    byte[] key = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElseThrow();
    if (!Arrays.equals(key, seed)) {
      throw new GeneralSecurityException("this JDK's Ed25519 keys don't follow from a seed");
    }
  }

  /** Chance that isn't. */
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
