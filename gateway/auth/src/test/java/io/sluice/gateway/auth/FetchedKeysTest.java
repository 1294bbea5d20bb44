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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FetchedKeysTest {
  private static final TestKey OLD = TestKey.create("old", "ES256");
  private static final TestKey NEW = TestKey.create("new", "ES256");

  @AutoClose private final TestIssuer issuer = TestIssuer.start();

  private Config config() {
    return Config.defaults()
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(AuthSettings.JWT_REFRESH_MIN, Duration.ofMillis(50));
  }

  @Test
  void shouldUseANewKeyAtOnceAndRefuseARemovedOne() {
    issuer.publish(OLD);
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.accepted(node, OLD.sign(claims())).name()).isEqualTo("alice");

      issuer.publish(NEW);
      await().ignoreExceptions().until(() -> Answers.accepted(node, NEW.sign(claims())) != null);

      await()
          .untilAsserted(
              () -> assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.REFUSED));
    }
  }

  @Test
  void shouldFetchInTheBackground() {
    issuer.publish(OLD);
    Config often = config().with(AuthSettings.JWT_REFRESH, Duration.ofMillis(100));
    try (Authentication node = Answers.open(often)) {
      assertThat(Answers.accepted(node, OLD.sign(claims())).name()).isEqualTo("alice");
      await().until(() -> issuer.requests().size() > 3);
    }
  }

  @Test
  void shouldFindANewKeyWithoutAKeyId() {
    TestKey before = new TestKey(null, "ES256", OLD.pair());
    TestKey after = new TestKey(null, "ES256", NEW.pair());
    issuer.publish(before);
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.accepted(node, before.sign(claims())).name()).isEqualTo("alice");
      issuer.publish(after);
      await().ignoreExceptions().until(() -> Answers.accepted(node, after.sign(claims())) != null);
    }
  }

  @Test
  void shouldKeepTheLastKeysWhileTheIssuerIsBroken() {
    issuer.publish(OLD);
    Config often = config().with(AuthSettings.JWT_REFRESH, Duration.ofMillis(100));
    try (Authentication node = Answers.open(often)) {
      assertThat(Answers.accepted(node, OLD.sign(claims())).name()).isEqualTo("alice");
      issuer.status(500);
      await().until(() -> node.issuerFailures() > 1);
      assertThat(Answers.accepted(node, OLD.sign(claims())).name()).isEqualTo("alice");
      assertThat(Answers.reason(node, NEW.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
    }
  }

  @Test
  void shouldRecoverOnceTheIssuerResponds() {
    issuer.status(503);
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
      issuer.publish(OLD);
      issuer.status(200);
      await().ignoreExceptions().until(() -> Answers.accepted(node, OLD.sign(claims())) != null);
    }
  }

  @Test
  void shouldRetryAfterAnInvalidRequest() {
    Config wrong = config().with(AuthSettings.JWT_JWKS_URL, "gopher://127.0.0.1/keys");
    try (Authentication node = Answers.open(wrong)) {
      await().until(() -> node.issuerFailures() > 2);
      assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
    }
  }

  @Test
  void shouldReturnKeysThatAnotherRequestHasFetched() throws Exception {
    issuer.publish(OLD);
    Config seldom = config().with(AuthSettings.JWT_REFRESH_MIN, Duration.ofMinutes(1));
    AuthOptions options = AuthOptions.of(seldom);
    try (IssuerClient client = IssuerClient.open(options.issuer());
        FetchedKeys keys = FetchedKeys.open(options.jwt(), true, client)) {
      await().until(() -> keys.current() != null);
      assertThat(keys.reloaded(null).toCompletableFuture().join()).isSameAs(keys.current());
    }
  }

  @Test
  void shouldLimitRequestsForUnknownKeys() {
    issuer.publish(OLD);
    Config seldom = config().with(AuthSettings.JWT_REFRESH_MIN, Duration.ofMinutes(1));
    try (Authentication node = Answers.open(seldom)) {
      for (int i = 0; i < 200; i++) {
        TestKey unknown = new TestKey("unknown-" + i, "ES256", NEW.pair());
        assertThat(Answers.reason(node, unknown.sign(claims())))
            .isIn(Reason.UNAVAILABLE, Reason.REFUSED);
      }
      assertThat(issuer.requests()).hasSize(1);
    }
  }

  @Test
  void shouldTimeOutIfTheIssuerHangs() {
    CountDownLatch gate = new CountDownLatch(1);
    issuer.hold(gate);
    Config impatient = config().with(AuthSettings.TIMEOUT, Duration.ofMillis(250));
    try (Authentication node = Answers.open(impatient)) {
      assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
    } finally {
      gate.countDown();
    }
  }

  @Test
  void shouldNotReadHugeResponses() {
    issuer.publish(TestKey.jwks(OLD) + " ".repeat(1024 * 1024));
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
    }
  }

  @Test
  void shouldNotFollowHttpRedirects() {
    try (TestIssuer other = TestIssuer.start()) {
      other.publish(OLD);
      issuer.redirect(other.jwksUrl());
      try (Authentication node = Answers.open(config())) {
        assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
        assertThat(other.requests()).isEmpty();
      }
    }
  }

  @Test
  void shouldDiscardShortAndSecretKeys() throws JoseException {
    TestKey small = new TestKey("small", "RS256", TestKey.of("RSA", 1024));
    String secret = "{\"kty\":\"oct\",\"kid\":\"secret\",\"k\":\"AAAA\"},";

    KeyRing ring = KeyRing.ofJwks(TestKey.jwks(OLD, small).replace("[", "[" + secret));

    assertThat(ring.keys()).singleElement().returns("old", PublicJsonWebKey::getKeyId);
    assertThat(ring.unusable()).isEqualTo(2);
  }

  @Test
  void shouldDiscardInvalidKeys() throws JoseException {
    String strange = "1,\"a\",null,[],{},{\"kty\":7},{\"kty\":\"RSA\",\"n\":1,\"e\":{}},";

    KeyRing ring = KeyRing.ofJwks(TestKey.jwks(OLD).replace("[", "[" + strange));

    assertThat(ring.keys()).singleElement().returns("old", PublicJsonWebKey::getKeyId);
    assertThat(ring.unusable()).isEqualTo(6);
  }

  @Test
  void shouldDiscoverTheKeysOfAnIssuer() {
    issuer.publish(OLD);
    Config discovering = discovering();
    JwtClaims claims = claims();
    claims.setIssuer(issuer.url());
    try (Authentication node = Answers.open(discovering)) {
      assertThat(Answers.accepted(node, OLD.sign(claims)).name()).isEqualTo("alice");
      assertThat(issuer.requests()).containsExactly("/.well-known/openid-configuration", "/jwks");
    }
  }

  private Config discovering() {
    return Config.defaults().with(AuthSettings.JWT_ISSUER, issuer.url());
  }

  @Test
  void shouldRejectADiscoveryOfAnotherIssuerOrAnUnsafeUrl() {
    for (String document :
        new String[] {
          "{\"issuer\":\"https://other.example\",\"jwks_uri\":\"" + issuer.jwksUrl() + "\"}",
          "{\"issuer\":\"" + issuer.url() + "\",\"jwks_uri\":\"http://keys.example/jwks\"}",
          "{\"issuer\":\"" + issuer.url() + "\"}",
          "[]"
        }) {
      issuer.discovery(document);
      try (Authentication node = Answers.open(discovering())) {
        assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
      }
    }
    assertThat(issuer.requests()).doesNotContain("/jwks");
  }

  @Test
  void shouldConnectOnlyToATrustedIssuer(@TempDir Path folder)
      throws IOException, GeneralSecurityException {
    TestCertificate made = TestCertificate.create(folder, "issuer", "EC");
    try (TestIssuer secure = TestIssuer.start(identity(folder.resolve("issuer.p12")))) {
      secure.publish(OLD);
      Config untrusting = Config.defaults().with(AuthSettings.JWT_JWKS_URL, secure.jwksUrl());
      try (Authentication node = Answers.open(untrusting)) {
        assertThat(Answers.reason(node, OLD.sign(claims()))).isEqualTo(Reason.UNAVAILABLE);
      }
      Config trusting = untrusting.with(AuthSettings.TRUST, made.certificate().toString());
      try (Authentication node = Answers.open(trusting)) {
        assertThat(Answers.accepted(node, OLD.sign(claims())).name()).isEqualTo("alice");
      }
    }
  }

  @Test
  void shouldReportAnInvalidFileOfAuthorities(@TempDir Path folder) throws IOException {
    Path text = Files.writeString(folder.resolve("text"), "");
    assertThatThrownBy(
            () -> Answers.openChecked(config().with(AuthSettings.TRUST, text.toString())))
        .hasMessageStartingWith("auth.trust " + text + " holds no PEM certificate");
  }

  private static SSLContext identity(Path store) throws IOException, GeneralSecurityException {
    char[] password = "password".toCharArray();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password);
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }
}
