package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Revocations at the nodes of a real cluster. */
@Timeout(300)
final class RevocationClusterIT {
  private static final int REVOKED = 4204;
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final TestKey KEY = TestKey.create("key", "ES256");

  @TempDir private Path folder;
  private TestIssuer issuer;
  private TestBroker broker;
  private TestCluster cluster;

  @BeforeEach
  void start() {
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    broker = TestBroker.start("artemis");
    cluster = new TestCluster("revoke", broker, 2);
  }

  @AfterEach
  void stop() throws Exception {
    broker.close();
    issuer.close();
  }

  private Config config(int node) {
    return cluster
        .config(node)
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.REVOCATIONS_FILE, folder.resolve("node-" + node).toString())
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl());
  }

  private static RawWebSocket show(TestNode node, String id) {
    JwtClaims claims = claims();
    claims.setSubject("ann");
    claims.setJwtId(id);
    RawWebSocket client = node.json();
    client.text("{\"type\":\"connect\",\"token\":\"" + KEY.sign(claims) + "\"}");
    return client;
  }

  private static void assertRefused(TestNode node, String id) {
    try (RawWebSocket client = show(node, id)) {
      assertThat(client.awaitClose()).isEqualTo(REVOKED);
    }
  }

  private static void awaitEqual(TestNode node) {
    await().atMost(LONG).until(() -> node.admin("/revocations").body().contains("\"equal\":true"));
  }

  @Tag("full")
  @Test
  void shouldRevokeAtAllNodesAndAfterARestartOfAll() {
    try (TestNode first = TestCluster.start(config(0))) {
      assertThat(first.revoke("token", "early")).isEqualTo("{\"closed\":0}");
      try (TestNode second = TestCluster.start(config(1));
          RawWebSocket there = show(second, "late")) {
        there.await("hello");
        awaitEqual(second);
        assertRefused(second, "early");
        assertThat(first.revoke("token", "late")).isEqualTo("{\"closed\":0}");
        assertThat(there.awaitClose()).isEqualTo(REVOKED);
        await().atMost(LONG).until(() -> second.metric("sluice_revocations") == 2);
        awaitEqual(first);
        await().atMost(LONG).until(() -> second.metric("sluice_revocations_differing_nodes") == 0);
        assertThat(second.restore("token", "early")).isEqualTo(204);
        await().atMost(LONG).until(() -> first.metric("sluice_revocations") == 1);
      }
    }
    try (TestNode alone = TestCluster.start(config(1))) {
      assertRefused(alone, "late");
      show(alone, "early").await("hello");
    }
  }
}
