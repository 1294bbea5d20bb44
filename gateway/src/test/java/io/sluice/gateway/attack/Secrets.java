package io.sluice.gateway.attack;

import io.sluice.gateway.auth.TestKey;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * Keys of the attacked nodes, as files, and a token that they must reject. Immutable.
 *
 * @param tokenKey public, PEM
 * @param certificate RSA, whose handshake is the most expensive
 * @param badToken token with an invalid signature, otherwise valid
 */
record Secrets(Path tokenKey, TestCertificate certificate, String badToken) {
  private static final String ALGORITHM = "ES256";

  static Secrets create(Path folder) {
    byte[] key = TestKey.create(null, ALGORITHM).pair().getPublic().getEncoded();
    return new Secrets(
        write(folder.resolve("token-key.pem"), key),
        TestCertificate.create(folder, "node", "RSA"),
        TestKey.create(null, ALGORITHM).sign(TestKey.claims()));
  }

  private static Path write(Path file, byte[] key) {
    try {
      return TestCertificate.write(file, "PUBLIC KEY", key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
