package io.sluice.gateway.auth;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IntrospectionTest {
  private static final String ACTIVE =
      "{\"active\":true,\"sub\":\"alice\",\"scope\":\"a b\",\"exp\":%d}";

  @AutoClose private final TestIssuer issuer = TestIssuer.start();

  private Config config() {
    return Config.defaults()
        .with(AuthSettings.INTROSPECTION_URL, issuer.introspectionUrl())
        .with(AuthSettings.INTROSPECTION_CLIENT_ID, "no:de")
        .with(AuthSettings.INTROSPECTION_CLIENT_SECRET, "s e");
  }

  private static String active(long seconds) {
    return ACTIVE.formatted(System.currentTimeMillis() / 1000 + seconds);
  }

  @Test
  void shouldReturnThePrincipalOfTheToken() {
    issuer.introspection(active(60));
    try (Authentication node = Answers.open(config())) {
      Principal alice = Answers.accepted(node, "opaque+token");
      assertThat(alice.name()).isEqualTo("alice");
      assertThat(alice.mechanism()).isEqualTo(Principal.Mechanism.INTROSPECTION);
      assertThat(alice.claims()).containsEntry("scope", "a b");
      assertThat(alice.expiresMs()).isGreaterThan(System.currentTimeMillis());
      // "no%3Ade:s+e", as RFC 6749 has it
      assertThat(issuer.requests())
          .containsExactly("/introspect Basic bm8lM0FkZTpzK2U= token=opaque%2Btoken");
    }
  }

  /** Otherwise each of them would occupy an entry of the requests in flight forever. */
  @Test
  void shouldNotTrackTokensWhoseRequestIsInvalid() {
    Config wrong =
        config()
            .with(AuthSettings.INTROSPECTION_URL, "gopher://127.0.0.1/introspect")
            .with(AuthSettings.INTROSPECTION_IN_FLIGHT, 1);
    try (Authentication node = Answers.open(wrong)) {
      for (String token : List.of("one", "two", "one")) {
        assertThat(Answers.refused(node, token))
            .hasMessage("the token could not be introspected at the issuer");
      }
    }
  }

  @Test
  void shouldCacheAResponseForTheConfiguredTime() {
    issuer.introspection(active(60));
    Config brief = config().with(AuthSettings.INTROSPECTION_CACHE, Duration.ofSeconds(1));
    try (Authentication node = Answers.open(brief)) {
      for (int i = 0; i < 10; i++) {
        Answers.accepted(node, "opaque");
      }
      assertThat(issuer.requests()).hasSize(1);
      issuer.introspection("{\"active\":false}");
      await()
          .untilAsserted(() -> assertThat(Answers.ask(node, "opaque")).isCompletedExceptionally());
      assertThat(Answers.reason(node, "opaque")).isEqualTo(Reason.REFUSED);
    }
  }

  @Test
  void shouldNotCacheAResponseBeyondTheTokensExpiry() {
    issuer.introspection(active(4)); // at least 3 s, because the test may run slowly
    try (Authentication node = Answers.open(config())) {
      Answers.accepted(node, "opaque");
      await().ignoreExceptions().until(() -> Answers.reason(node, "opaque") == Reason.EXPIRED);
    }
  }

  @Test
  void shouldCacheRefusalsForAShorterTime() {
    Config brief = config().with(AuthSettings.INTROSPECTION_CACHE_REFUSED, Duration.ofMillis(300));
    try (Authentication node = Answers.open(brief)) {
      assertThat(Answers.reason(node, "opaque")).isEqualTo(Reason.REFUSED);
      issuer.introspection(active(60));
      assertThat(issuer.requests()).hasSize(1);
      await().ignoreExceptions().until(() -> Answers.accepted(node, "opaque") != null);
    }
  }

  @Test
  void shouldShareRequestsForOneTokenAndLimitRequestsInFlight() {
    issuer.introspection(active(60));
    CountDownLatch gate = new CountDownLatch(1);
    issuer.hold(gate);
    Config limited = config().with(AuthSettings.INTROSPECTION_IN_FLIGHT, 1);
    try (Authentication node = Answers.open(limited)) {
      List<CompletableFuture<Principal>> same =
          Stream.generate(() -> Answers.ask(node, "same")).limit(20).toList();
      await().until(() -> issuer.requests().size() == 1);

      assertThat(Answers.refused(node, "another"))
          .hasMessageStartingWith("too many introspection requests are in flight on this node");
      gate.countDown();

      assertThat(same).allSatisfy(each -> assertThat(each.join().name()).isEqualTo("alice"));
      assertThat(issuer.requests()).hasSize(1);
    } finally {
      gate.countDown();
    }
  }

  /** The issuer does not respond: an address with many tokens leaves requests for others. */
  @Test
  void shouldLeaveRequestsInFlightToOtherAddresses() {
    issuer.introspection(active(60));
    CountDownLatch gate = new CountDownLatch(1);
    issuer.hold(gate);
    Config limited = config().with(AuthSettings.INTROSPECTION_IN_FLIGHT, 10);
    try (Authentication node = Answers.open(limited)) {
      List<CompletableFuture<Principal>> flood = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        flood.add(Answers.ask(node, "flood-" + i, "192.0.2.66"));
      }
      await().until(() -> flood.stream().filter(CompletableFuture::isDone).count() == 45);
      List<CompletableFuture<Principal>> others =
          List.of(Answers.ask(node, "a", "192.0.2.1"), Answers.ask(node, "b", "192.0.2.2"));
      await().until(() -> issuer.requests().size() == 7);
      gate.countDown();
      assertThat(others).allSatisfy(each -> assertThat(each.join().name()).isEqualTo("alice"));
    } finally {
      gate.countDown();
    }
  }

  @Test
  void shouldDelayTheTokensOfAnAddressWhoseTokensAreInvalid() {
    issuer.introspection("{\"active\":false}");
    try (Authentication node = Answers.open(config())) {
      for (int i = 0; i < IntrospectionBackoff.FREE_REFUSALS + 1; i++) {
        Answers.refused(node, "wrong-" + i);
      }
      IntrospectionBackoff backoff = new IntrospectionBackoff();
      AuthenticationFailure refused = new AuthenticationFailure(Reason.REFUSED, "");
      for (int i = 0; i < IntrospectionBackoff.FREE_REFUSALS + 3; i++) {
        assertThat(backoff.problem("a", 5_000L * i)).isNull();
        backoff.onResult("a", refused, 5_000L * i);
      }
      assertThat(backoff.problem("a", 60_000)).contains("13 invalid tokens", "in 400 ms");
      assertThat(backoff.problem("b", 60_000)).isNull();
      backoff.onResult("a", null, 60_000);
      assertThat(backoff.problem("a", 60_000)).isNull();
    }
  }

  /** Failures of the issuer that no token can cause. */
  @Test
  void shouldDelayAllTokensWhileTheIssuerIsUnreachable() {
    Config wrong = config().with(AuthSettings.INTROSPECTION_URL, "http://127.0.0.1:1/introspect");
    try (Authentication node = Answers.open(wrong)) {
      long failures = 0;
      while (failures < 4) {
        failures += Answers.refused(node, "t" + failures).getMessage().contains("issuer") ? 1 : 0;
      }
      assertThat(node.issuerFailures()).isBetween(3L, 4L);
    }
    IntrospectionBackoff backoff = new IntrospectionBackoff();
    AuthenticationFailure status =
        new AuthenticationFailure(
            Reason.UNAVAILABLE, "", new IssuerClient.UnusableAnswer("status 500", null));
    AuthenticationFailure timeout =
        new AuthenticationFailure(
            Reason.UNAVAILABLE,
            "",
            new IssuerClient.UnusableAnswer("", new TimeoutException("late")));
    for (int i = 0; i < 100; i++) {
      backoff.onResult("attacker", status, 0);
    }
    assertThat(backoff.problem("b", 0)).as("a token may cause a status").isNull();
    for (int i = 0; i < IntrospectionBackoff.FREE_FAILURES + 2; i++) {
      backoff.onResult("attacker", timeout, 0);
    }
    assertThat(backoff.problem("b", 0)).contains("unreachable", "in 200 ms");
    assertThat(backoff.problem("b", 200)).isNull();
    backoff.onResult("b", null, 200);
    backoff.onResult("b", timeout, 200);
    assertThat(backoff.problem("b", 200)).isNull();
  }

  @Test
  void shouldLimitConcurrentChecks() {
    CountDownLatch gate = new CountDownLatch(1);
    issuer.hold(gate);
    Authentication node = Answers.open(AuthOptions.of(config(), 1, 1));
    try {
      CompletableFuture<Principal> first = Answers.ask(node, "first");
      assertThat(Answers.refused(node, "second"))
          .hasMessageStartingWith("too many credential checks are pending on this node");
      node.close();
      assertThat(first).failsWithin(Duration.ofSeconds(10));
    } finally {
      node.close();
      gate.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 401, 403, 404, 500, 503})
  void shouldTreatAnErrorStatusAsUnavailable(int status) {
    issuer.introspection(active(60));
    issuer.status(status);
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.reason(node, "opaque")).isEqualTo(Reason.UNAVAILABLE);
      assertThat(node.issuerFailures()).isEqualTo(1);
      issuer.status(200);
      assertThat(Answers.accepted(node, "opaque").name()).isEqualTo("alice");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hello", "[]", "{}", "{\"active\":\"true\"}", "{\"active\":1}"})
  void shouldTreatAnInvalidResponseAsUnavailable(String answer) {
    issuer.introspection(answer);
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.reason(node, "opaque")).isEqualTo(Reason.UNAVAILABLE);
    }
  }

  @Test
  void shouldNotReadHugeResponses() {
    issuer.introspection(active(60) + " ".repeat(1 << 20));
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.reason(node, "opaque")).isEqualTo(Reason.UNAVAILABLE);
    }
  }

  @Test
  void shouldTimeOutIfTheIssuerHangs() {
    CountDownLatch gate = new CountDownLatch(1);
    issuer.hold(gate);
    Config impatient = config().with(AuthSettings.TIMEOUT, Duration.ofMillis(250));
    try (Authentication node = Answers.open(impatient)) {
      assertThat(Answers.reason(node, "opaque")).isEqualTo(Reason.UNAVAILABLE);
    } finally {
      gate.countDown();
    }
  }

  @Test
  void shouldValidateTheClaimsOfTheIssuer() {
    issuer.introspection("{\"active\":true,\"sub\":\"alice\",\"aud\":\"other\"}");
    Config own = config().with(AuthSettings.JWT_AUDIENCE, List.of("sluice"));
    try (Authentication node = Answers.open(own)) {
      assertThat(Answers.refused(node, "opaque")).hasMessage("the token is for another audience");
      issuer.introspection("{\"active\":true,\"sub\":\"alice\"}");
      assertThat(Answers.accepted(node, "another").expiresMs()).isEqualTo(Principal.NEVER);
      issuer.introspection("{\"active\":true}");
      assertThat(Answers.refused(node, "nameless")).hasMessageContaining("has no subject");
    }
  }

  @Test
  void shouldIntrospectOnlyOpaqueTokensIfKeysAreConfigured() {
    TestKey key = TestKey.create("k", "ES256");
    issuer.publish(key);
    issuer.introspection(active(60).replace("alice", "bob"));
    Config both = config().with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl());
    try (Authentication node = Answers.open(both)) {
      assertThat(Answers.accepted(node, key.sign(claims())).name()).isEqualTo("alice");
      assertThat(Answers.accepted(node, "opaque").name()).isEqualTo("bob");
      assertThat(issuer.requests()).hasSize(2);
    }
    try (Authentication node = Answers.open(config())) {
      assertThat(Answers.accepted(node, key.sign(claims())).name()).isEqualTo("bob");
    }
  }
}
