package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static io.sluice.gateway.auth.TestKey.inSeconds;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients with tokens at a real node, whose issuer is a real server; no broker is needed. */
class TokensIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final String PING = "{\"type\":\"ping\",\"ref\":1}";
  private static final TestKey STRANGER = TestKey.create("key", "ES256");

  private static TestIssuer issuer;
  private static TestNode node;

  @BeforeAll
  static void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    node = TestNode.start(config());
  }

  @AfterAll
  static void stop() {
    node.close();
    issuer.close();
  }

  private static Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(AuthSettings.COOKIE, "session");
  }

  private static String token() {
    return KEY.sign(claims());
  }

  private static String connect(String token) {
    return "{\"type\":\"connect\",\"token\":\"" + token + "\"}";
  }

  private static String refresh(int ref, String token) {
    return "{\"type\":\"refresh\",\"ref\":" + ref + ",\"token\":\"" + token + "\"}";
  }

  @Test
  void shouldAcceptATokenInConnect() {
    try (RawWebSocket client = node.json()) {
      client.text(connect(token()));
      JsonNode hello = client.await("hello");
      assertThat(hello.path("expires").asLong()).isGreaterThan(System.currentTimeMillis());
      assertThat(hello.path("subject").asText()).isEqualTo("alice");
    }
  }

  @Test
  void shouldAcceptATokenOfStomp() {
    for (String headers :
        new String[] {
          "login:" + token(),
          "passcode:" + token(),
          "login:" + token() + "\npasscode:x",
          "Authorization:Bearer " + token()
        }) {
      try (StompSocket client = StompSocket.open(node, "1.2", headers + "\n")) {
        assertThat(client.kept()).isEmpty();
      }
    }
  }

  @Test
  void shouldRefuseOtherLoginsOfStomp() {
    for (String headers : new String[] {"", "login:a\npasscode:b\n"}) {
      try (StompSocket client = new StompSocket(node.request().subprotocols("v12.stomp").open())) {
        client.send("CONNECT\naccept-version:1.2\n" + headers + "\n");
        StompSocket.Frame error = client.next();
        assertThat(error.command()).isEqualTo("ERROR");
        assertThat(error.header("message")).isEqualTo("unauthorized");
        assertThat(client.socket().awaitClose()).isEqualTo(4200);
      }
    }
  }

  @Test
  void shouldAcceptATokenInTheHeader() {
    assertEnters(json().set("Authorization", "Bearer " + token()));
  }

  @Test
  void shouldAcceptATokenAsSubprotocol() {
    String encoded =
        Base64.getUrlEncoder().withoutPadding().encodeToString(token().getBytes(UTF_8));
    RawWebSocket.Request request =
        node.request().subprotocols(Encoding.JSON_SUBPROTOCOL, "sluice.bearer." + encoded);
    try (RawWebSocket client = request.open()) {
      assertThat(client.header("Sec-WebSocket-Protocol")).isEqualTo(Encoding.JSON_SUBPROTOCOL);
      client.text(PING);
      client.await("hello");
    }
  }

  @Test
  void shouldAcceptATokenInTheConfiguredCookie() {
    assertEnters(json().set("Cookie", "a=b; session=" + token()));
  }

  @Test
  void shouldAcceptATokenInTheUrlOnlyIfConfigured() {
    String line = "GET /ws?token=" + token() + " HTTP/1.1";
    assertRefused(json().requestLine(line), 4200);
    try (TestNode told = TestNode.start(config(), AuthSettings.QUERY_PARAMETER, "token")) {
      assertEnters(told.request().subprotocols(Encoding.JSON_SUBPROTOCOL).requestLine(line));
    }
  }

  @Test
  void shouldAcceptATokenOfAStream() {
    RawWebSocket.Request request = node.stream(PING).set("Authorization", "Bearer " + token());
    try (RawWebSocket client = request.open()) {
      client.await("hello");
      client.await("pong");
    }
  }

  @Test
  void shouldRejectClientsWithoutAValidCredential() {
    assertRefused(json(), 4200);
    assertRefused(json().set("Authorization", "Bearer " + STRANGER.sign(claims())), 4200);
    assertRefused(json().set("Authorization", "Bearer hello"), 4200);
    JwtClaims over = claims();
    over.setExpirationTime(inSeconds(-5));
    assertRefused(json().set("Authorization", "Bearer " + KEY.sign(over)), 4201);
  }

  @Test
  void shouldAllowRetriesWhileTheIssuerIsDown() {
    Config alone = config().with(AuthSettings.JWT_JWKS_URL, "http://127.0.0.1:1/jwks");
    try (TestNode lonely = TestNode.start(alone)) {
      assertRefused(
          lonely
              .request()
              .subprotocols(Encoding.JSON_SUBPROTOCOL)
              .set("Authorization", "Bearer " + token()),
          4002);
      await().until(() -> lonely.metric("sluice_auth_issuer_failures_total") > 0);
    }
  }

  @Test
  void shouldProcessFramesAfterHelloThatArrivedBefore() {
    try (RawWebSocket client = node.json()) {
      client.text(connect(token()));
      client.text("{\"type\":\"ping\",\"ref\":7}");
      client.text("{\"type\":\"ping\",\"ref\":8}");
      assertThat(client.readJson().path("type").asText()).isEqualTo("hello");
      assertThat(client.await("pong").path("ref").asInt()).isEqualTo(7);
      assertThat(client.await("pong").path("ref").asInt()).isEqualTo(8);
    }
  }

  @Test
  void shouldLimitFramesBufferedBeforeAuthentication() {
    try (TestIssuer slow = TestIssuer.start()) {
      CountDownLatch gate = new CountDownLatch(1);
      slow.hold(gate);
      Config small =
          config()
              .with(AuthSettings.JWT_JWKS_URL, slow.jwksUrl())
              .with(LimitSettings.PRE_AUTH_BYTES, 1024L);
      try (TestNode limited = TestNode.start(small);
          RawWebSocket client = limited.json()) {
        client.text(connect(token()));
        String publish =
            "{\"type\":\"publish\",\"ref\":1,\"topic\":\"a\",\"payload\":\""
                + "a".repeat(600)
                + "\"}";
        client.text(publish);
        client.text(publish);
        assertThat(client.awaitClose()).isEqualTo(1009);
      } finally {
        gate.countDown();
      }
    }
  }

  @Tag("full")
  @Test
  void shouldCloseAtTheTokensEnd() {
    JwtClaims brief = claims();
    brief.setExpirationTime(inSeconds(3));
    try (RawWebSocket client = json().set("Authorization", "Bearer " + KEY.sign(brief)).open()) {
      client.text(PING);
      client.await("hello");
      assertThat(client.awaitClose()).isEqualTo(4201);
    }
  }

  @Tag("full")
  @Test
  void shouldContinueWithAFreshToken() {
    NumericDate end = inSeconds(4);
    JwtClaims brief = claims();
    brief.setExpirationTime(end);
    try (RawWebSocket client = json().open()) {
      client.text(connect(KEY.sign(brief)));
      client.await("hello");
      client.text(refresh(5, token()));
      JsonNode refreshed = client.await("refreshed");
      assertThat(refreshed.path("ref").asInt()).isEqualTo(5);
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> System.currentTimeMillis() >= end.getValueInMillis() + 2000);
      client.text(PING);
      client.await("pong");
    }
  }

  private static String tokenOfBob() {
    JwtClaims bob = claims();
    bob.setSubject("bob");
    return KEY.sign(bob);
  }

  @Test
  void shouldEndTheSessionOfARefreshForAnotherSubject() {
    try (RawWebSocket client = json().open()) {
      client.text(connect(token()));
      client.await("hello");
      client.text(refresh(5, tokenOfBob()));
      client.text(PING);
      assertEndsAfterRefusal(client);
    }
  }

  @Test
  void shouldEndTheStreamOfARefreshForAnotherSubject() {
    String frames =
        String.join(
            "\n",
            connect(token()),
            "{\"type\":\"subscribe\",\"ref\":4,\"topic\":\"a\"}",
            refresh(5, tokenOfBob()));
    try (RawWebSocket client = node.stream(frames).open()) {
      client.await("hello");
      assertEndsAfterRefusal(client);
    }
  }

  private static void assertEndsAfterRefusal(RawWebSocket client) {
    JsonNode error = client.await("error");
    assertThat(error.path("ref").asInt()).isEqualTo(5);
    assertThat(error.path("code").asText()).isEqualTo("unauthorized");
    assertThat(client.awaitClose()).isEqualTo(4200);
  }

  @Test
  void shouldRejectARefreshWithAnInvalidToken() {
    try (RawWebSocket client = json().open()) {
      client.text(connect(token()));
      client.await("hello");
      client.text(refresh(6, STRANGER.sign(claims())));
      JsonNode error = client.await("error");
      assertThat(error.path("ref").asInt()).isEqualTo(6);
      client.text(PING);
      client.await("pong");
    }
  }

  private static RawWebSocket.Request json() {
    return node.request().subprotocols(Encoding.JSON_SUBPROTOCOL);
  }

  private static void assertEnters(RawWebSocket.Request request) {
    try (RawWebSocket client = request.open()) {
      client.text(PING);
      client.await("hello");
      client.await("pong");
    }
  }

  private static void assertRefused(RawWebSocket.Request request, int code) {
    try (RawWebSocket client = request.open()) {
      client.text(PING);
      assertThat(client.await("error").path("code").asText()).isEqualTo("unauthorized");
      assertThat(client.awaitClose()).isEqualTo(code);
    }
  }
}
