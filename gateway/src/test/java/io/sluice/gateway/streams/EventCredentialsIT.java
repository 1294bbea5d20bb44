package io.sluice.gateway.streams;

import static io.sluice.gateway.auth.TestKey.claims;
import static io.sluice.gateway.auth.TestKey.inSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Credentials of event streams at two nodes of one secret; no broker is needed. */
final class EventCredentialsIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static TestIssuer issuer;
  private static TestNode first;
  private static TestNode second;

  @BeforeAll
  static void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    first = TestNode.start(config());
    second = TestNode.start(config());
  }

  @AfterAll
  static void stop() {
    second.close();
    first.close();
    issuer.close();
  }

  private static Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
        .with(AuthSettings.COOKIE, "session")
        .with(ClusterSettings.SECRET, "a secret of both nodes");
  }

  private static String token() {
    return KEY.sign(claims());
  }

  private static String bearer(String token) {
    return "Bearer " + token;
  }

  private static String url(TestNode node, String path) {
    return "http://127.0.0.1:" + node.gateway().port() + path;
  }

  private static int status(TestNode node, String path, String... headers) {
    try (EventClient client = EventClient.open(HTTP, url(node, path), headers)) {
      return client.status();
    }
  }

  private static HttpResponse<String> post(String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url(first, path)))
            .POST(HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String ticket(String topics) throws Exception {
    HttpResponse<String> answer = post("/ticket?topic=" + topics, "Authorization", bearer(token()));
    assertThat(answer.statusCode()).isEqualTo(201);
    return new ObjectMapper().readTree(answer.body()).get("ticket").asText();
  }

  @Test
  void shouldAcceptAHeaderAndACookie() {
    assertThat(status(first, "/topics/a", "Authorization", bearer(token()))).isEqualTo(200);
    assertThat(status(first, "/topics/a", "Cookie", "session=" + token())).isEqualTo(200);
    assertThat(status(first, "/topics/a")).isEqualTo(401);
    assertThat(status(first, "/topics/a", "Authorization", "Bearer x")).isEqualTo(401);
  }

  @Test
  void shouldAcceptATicketOnceAtAnyNodeForItsTopics() throws Exception {
    String ticket = ticket("a.*");
    assertThat(status(second, "/topics/a.b?ticket=" + ticket)).isEqualTo(200);
    assertThat(status(second, "/topics/a.b?ticket=" + ticket)).as("again").isEqualTo(401);
    assertThat(status(second, "/topics/c?ticket=" + ticket("a.*"))).isEqualTo(403);
    assertThat(status(second, "/topics/a?ticket=x")).isEqualTo(401);
    assertThat(post("/ticket?topic=a").statusCode()).as("no token").isEqualTo(401);
    assertThat(post("/ticket", "Authorization", bearer("x")).statusCode()).isEqualTo(400);
    String unchecked = post("/ticket?topic=a", "Authorization", bearer("x")).body();
    String other = new ObjectMapper().readTree(unchecked).get("ticket").asText();
    assertThat(status(first, "/topics/a?ticket=" + other)).as("bad token").isEqualTo(401);
  }

  @Test
  void shouldAcceptATicketForOneRead() throws Exception {
    String path = "/topics/a?offset=now&live=long-poll&ticket=";
    String ticket = ticket("a");
    assertThat(read(path + ticket)).as("accepted, without a broker").contains("broker-unavailable");
    assertThat(read(path + ticket)).as("again").contains("unauthorized");
    assertThat(read("/topics/b?ticket=" + ticket("a"))).contains("not valid for");
    assertThat(read("/topics/b?live=sse&offset=now&ticket=" + ticket("a")))
        .contains("not valid for");
    HttpResponse<String> publish = post("/topics/a?ticket=" + ticket("a"));
    assertThat(publish.statusCode()).isEqualTo(403);
    assertThat(publish.body()).contains("a ticket is for reading");
  }

  private static String read(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url(second, path))).header("Prefer", "wait=1").build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void shouldEndWithItsCredential() {
    JwtClaims claims = claims();
    claims.setExpirationTime(inSeconds(3));
    String url = url(first, "/topics/a");
    try (EventClient client =
        EventClient.open(HTTP, url, "Authorization", bearer(KEY.sign(claims)))) {
      assertThat(client.await("ended").data()).isEqualTo("{\"code\":\"expired\"}");
      assertThat(client.next().type()).isEqualTo("end");
    }
  }

  @Test
  void shouldEndWithARevocation() {
    JwtClaims claims = claims();
    claims.setSubject("revoked");
    String url = url(first, "/topics/a");
    try (EventClient client =
        EventClient.open(HTTP, url, "Authorization", bearer(KEY.sign(claims)))) {
      assertThat(client.status()).isEqualTo(200);
      first.revoke("subject", "revoked");
      assertThat(client.await("ended").data()).isEqualTo("{\"code\":\"revoked\"}");
      assertThat(client.next().type()).isEqualTo("end");
    }
    assertThat(status(first, "/topics/a", "Authorization", bearer(KEY.sign(claims))))
        .isEqualTo(401);
  }
}
