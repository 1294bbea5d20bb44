package io.sluice.gateway.attack;

import io.sluice.gateway.auth.TestKey;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * The keys of the nodes that are attacked, as files, and a token that they must not take.
 * Immutable.
 *
 * @param tokenKey public, PEM
 * @param certificate RSA, which costs a node most
 * @param badToken right in all but its signature, which has to be checked to find out
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
