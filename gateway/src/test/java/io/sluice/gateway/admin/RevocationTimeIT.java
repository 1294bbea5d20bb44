package io.sluice.gateway.admin;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time from a revocation until the client is disconnected and refused. */
@Timeout(180)
final class RevocationTimeIT {
  /** Limit that docs/reference/security.md guarantees. */
  private static final Duration PROMISED = Duration.ofSeconds(1);

  /** Number of rounds; pauses of the machine may delay one or two of them. */
  private static final int ROUNDS = 5;

  private static final int REVOKED = 4204;
  private static final TestKey KEY = TestKey.create("key", "ES256");

  @TempDir private static Path folder;

  private static TestAuthority authority;
  private static Issued bob;
  private static TestIssuer issuer;
  private static TestNode node;

  @BeforeAll
  static void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    authority = TestAuthority.create(folder, "authority");
    bob = authority.issue("bob", "CN=bob");
    Issued own = authority.issue("node", "CN=node", "SAN=ip:127.0.0.1,dns:localhost");
    node =
        TestNode.start(
            TestNode.config("artemis", "tcp://127.0.0.1:1")
                .with(AuthSettings.ANONYMOUS, false)
                .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl())
                .with(ServerSettings.TLS_CERTIFICATE, own.certificate().toString())
                .with(ServerSettings.TLS_KEY, own.key().toString())
                .with(ServerSettings.TLS_CLIENT_AUTH, "optional")
                .with(ServerSettings.TLS_CLIENT_CA, authority.certificate().toString()));
  }

  @AfterAll
  static void stop() {
    node.close();
    issuer.close();
  }

  /** Client with a credential of the revoked kind. */
  private static RawWebSocket connect(String kind) {
    RawWebSocket.Request request =
        kind.equals("certificate")
            ? node.request().tls(bob.context())
            : node.request()
                .tls(authority.trust())
                .set("Authorization", "Bearer " + KEY.sign(claims()));
    RawWebSocket client = request.open();
    client.text("{\"type\":\"connect\"}");
    return client;
  }

  private static String value(String kind, String session) {
    return switch (kind) {
      case "subject" -> "alice";
      case "token" -> "id-1";
      case "certificate" -> bob.serial();
      default -> session;
    };
  }

  /** Returns the time from the request until the session is closed and the next one is refused. */
  private static Duration revoke(String kind) {
    try (RawWebSocket client = connect(kind)) {
      String value = value(kind, client.await("hello").get("session").asText());
      long startNs = System.nanoTime();
      assertThat(node.revoke(kind, value)).isEqualTo("{\"closed\":1}");
      assertThat(client.awaitClose()).isEqualTo(REVOKED);
      if (!kind.equals("session")) {
        try (RawWebSocket again = connect(kind)) {
          assertThat(again.awaitClose()).isEqualTo(REVOKED);
        }
      }
      Duration took = Duration.ofNanos(System.nanoTime() - startNs);
      node.restore(kind, value);
      return took;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"subject", "token", "session", "certificate"})
  void shouldTakeEffectWithinASecond(String kind) {
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      took.add(revoke(kind));
    }

    assertThat(took)
        .as("the quickest of %d", ROUNDS)
        .anyMatch(each -> each.compareTo(PROMISED) < 0);
  }
}
