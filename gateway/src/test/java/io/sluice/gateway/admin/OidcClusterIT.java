package io.sluice.gateway.admin;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestCluster;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queries and commands of an operator with a JWT that reach another node of the cluster. */
@Timeout(180)
final class OidcClusterIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private final List<Integer> ports = FreePorts.some(2);
  @AutoClose private final TestBroker broker = TestBroker.start("artemis");
  @AutoClose private final TestIssuer issuer = TestIssuer.start();
  private final TestCluster cluster = new TestCluster("by-oidc", broker, 2);

  private Config config(int node) {
    return cluster
        .config(node)
        .with(AdminSettings.PORT, ports.get(node))
        .with(ClusterSettings.ADMIN_URL, "http://127.0.0.1:" + ports.get(node))
        .with(AdminSettings.OIDC_ISSUER, issuer.url())
        .with(AdminSettings.OIDC_CLIENT_ID, "sluice")
        .with(AdminSettings.OIDC_ROLES, List.of("operator"));
  }

  private String token() {
    JwtClaims claims = TestKey.claims();
    claims.setIssuer(issuer.url());
    claims.setClaim("roles", List.of("operator"));
    return KEY.sign(claims);
  }

  private static JsonNode get(TestNode node, String path) throws IOException {
    return JSON.readTree(AdminOpenApi.checked(node.admin(path)).body());
  }

  private static void awaitNodes(TestNode node) {
    await()
        .atMost(60, SECONDS)
        .untilAsserted(
            () ->
                assertThat(get(node, "/topics").get("nodes").findValuesAsText("status"))
                    .containsExactly("ok", "ok"));
  }

  @Tag("full")
  @Test
  void shouldActInTheNameOfTheOperatorAtBothNodes() throws Exception {
    issuer.publish(KEY);
    try (TestNode first = TestCluster.start(config(0));
        TestNode second = TestCluster.start(config(1));
        RawWebSocket client = second.json()) {
      client.subscribe(1, "a");
      TestNode alice = first.operator(token());
      awaitNodes(alice);
      JsonNode clients = get(alice, "/clients");
      assertThat(clients.get("partial").asBoolean()).isFalse();
      String session = clients.at("/clients/0/session").asText();
      AdminOpenApi.checked(alice.command("/clients/" + session + "/disconnect"));
      assertThat(client.awaitClose()).isEqualTo(4004);
      await()
          .atMost(60, SECONDS)
          .untilAsserted(
              () -> {
                JsonNode records = get(alice, "/audit?kind=commanded").get("records");
                assertThat(records.findValuesAsText("node")).containsExactly("by-oidc-1");
                assertThat(records.findValuesAsText("with")).containsExactly("oidc:alice");
              });
    }
  }
}
