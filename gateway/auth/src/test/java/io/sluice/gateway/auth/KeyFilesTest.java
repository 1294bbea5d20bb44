package io.sluice.gateway.auth;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFilesTest {
  @TempDir private Path folder;

  private static Config config(Path... files) {
    return Config.defaults()
        .with(AuthSettings.JWT_KEYS_POLL, Duration.ofMillis(50))
        .with(AuthSettings.JWT_KEYS, List.of(files).stream().map(Path::toString).toList());
  }

  private Path pem(String name, TestKey key) throws IOException {
    return TestCertificate.write(
        folder.resolve(name), "PUBLIC KEY", key.pair().getPublic().getEncoded());
  }

  @ParameterizedTest
  @ValueSource(strings = {"RS256", "PS512", "ES256", "ES512", "EdDSA"})
  void shouldReadPublicKeys(String algorithm) throws IOException {
    TestKey key = TestKey.create("any", algorithm);
    try (Authentication node = Answers.open(config(pem("key.pem", key)))) {
      assertThat(Answers.accepted(node, key.sign(claims())).name()).isEqualTo("alice");
    }
  }

  @Test
  void shouldReadCertificates() throws IOException, GeneralSecurityException {
    TestCertificate made = TestCertificate.create(folder, "signer", "EC");
    KeyStore store = KeyStore.getInstance(folder.resolve("signer.p12").toFile(), chars());
    KeyPair pair =
        new KeyPair(
            store.getCertificate("node").getPublicKey(),
            (PrivateKey) store.getKey("node", chars()));
    try (Authentication node = Answers.open(config(made.certificate()))) {
      String token = new TestKey(null, "ES256", pair).sign(claims());
      assertThat(Answers.accepted(node, token).name()).isEqualTo("alice");
    }
  }

  private static char[] chars() {
    return "password".toCharArray();
  }

  @Test
  void shouldReadEveryKeyOfAFolderAndReloadChanges() throws IOException {
    TestKey first = TestKey.create("first", "ES256");
    TestKey second = TestKey.create("second", "ES256");
    Path firstFile = Files.writeString(folder.resolve("first.json"), TestKey.jwks(first));
    Files.writeString(folder.resolve(".hidden"), "no key");
    try (Authentication node = Answers.open(config(folder))) {
      assertThat(Answers.accepted(node, first.sign(claims())).name()).isEqualTo("alice");
      assertThat(Answers.reason(node, second.sign(claims()))).isEqualTo(Reason.REFUSED);

      pem("second.pem", second);
      await().ignoreExceptions().until(() -> Answers.accepted(node, second.sign(claims())) != null);
      Files.delete(firstFile);
      await()
          .untilAsserted(
              () ->
                  assertThat(Answers.reason(node, first.sign(claims()))).isEqualTo(Reason.REFUSED));
      assertThat(Answers.accepted(node, second.sign(claims())).name()).isEqualTo("alice");
    }
  }

  @Test
  void shouldKeepTheKeysWhileAFileIsBroken() throws IOException {
    TestKey before = TestKey.create("before", "ES256");
    TestKey after = TestKey.create("after", "ES256");
    Path file = Files.writeString(folder.resolve("keys.json"), TestKey.jwks(before));
    KeyFiles files = openFiles(config(file));
    try {
      KeyRing good = files.current();
      Files.writeString(file, "{\"keys\":[");
      await().during(Duration.ofMillis(300)).until(() -> files.current() == good);
      Files.writeString(file, TestKey.jwks(after));
      await().until(() -> files.current().hasKey("after"));
      assertThat(files.current().hasKey("before")).isFalse();
    } finally {
      files.close();
    }
  }

  private static KeyFiles openFiles(Config config) {
    try {
      return KeyFiles.open(AuthOptions.of(config).jwt());
    } catch (UnusableAuth e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldRefuseShortRsaKeys() throws IOException {
    TestKey small = new TestKey("small", "RS256", TestKey.of("RSA", 1024));
    Path pem = pem("small.pem", small);
    assertUnusable(pem, pem + " contains an RSA key under 2048 bits");
    Path jwks = Files.writeString(folder.resolve("small.json"), TestKey.jwks(small));
    assertUnusable(jwks, jwks + " contains 1 keys that are not public");
  }

  @Test
  void shouldReportTheInvalidFile() throws IOException {
    Path none = folder.resolve("none");
    assertUnusable(none, none + " cannot be read");
    Path text = Files.writeString(folder.resolve("text"), "hello");
    assertUnusable(text, text + " contains no public key");
    Path secret =
        TestCertificate.write(
            folder.resolve("secret"),
            "PRIVATE KEY",
            TestKey.create("k", "ES256").pair().getPrivate().getEncoded());
    assertUnusable(secret, secret + " contains a block PRIVATE KEY");
    Path odd = TestCertificate.write(folder.resolve("odd"), "PUBLIC KEY", new byte[] {1, 2});
    assertUnusable(odd, odd + " contains a key that is malformed");
    Path exchange =
        TestCertificate.write(
            folder.resolve("exchange"),
            "PUBLIC KEY",
            TestKey.of("X25519", 0).getPublic().getEncoded());
    assertUnusable(exchange, exchange + " contains a key that is malformed, or none of");
    Path json = Files.writeString(folder.resolve("json"), "{\"a\":1}");
    assertUnusable(json, json + " is not a JWKS");
    Path strange = Files.writeString(folder.resolve("strange"), "{\"keys\":[1,{\"kty\":2}]}");
    assertUnusable(strange, strange + " contains 2 keys that are not public");
    Path large = Files.writeString(folder.resolve("large"), " ".repeat(1024 * 1024 + 1));
    assertUnusable(large, large + " has more than 1048576 bytes");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertUnusable(empty, "lists only folders without files");
  }

  private static void assertUnusable(Path file, String what) {
    assertThatThrownBy(() -> Answers.openChecked(config(file)))
        .isInstanceOf(UnusableAuth.class)
        .hasMessageStartingWith("auth.jwt.keys " + what);
  }
}
