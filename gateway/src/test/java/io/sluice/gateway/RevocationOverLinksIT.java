package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.Switchboard;
import java.time.Duration;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Revocations at a root, a leaf of it, and a leaf of that. No node has a broker. */
@Timeout(300)
final class RevocationOverLinksIT {
  private static final int REVOKED = 4204;
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final TestKey KEY = TestKey.create("key", "ES256");

  private static Config node(TestIssuer issuer) {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(LinkSettings.PORT, 0)
        .with(LinkSettings.SUBSCRIBE, List.of(">"))
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl());
  }

  private static Config leaf(TestIssuer issuer, Switchboard network) {
    return TestNode.config("artemis", "")
        .with(LinkSettings.PORT, 0)
        .with(LinkSettings.SUBSCRIBE, List.of(">"))
        .with(LinkSettings.ROOTS, List.of("ws://" + network.address()))
        .with(AuthSettings.ANONYMOUS, false)
        .with(AuthSettings.JWT_JWKS_URL, issuer.jwksUrl());
  }

  private static Switchboard network(TestNode root) {
    Switchboard network = new Switchboard();
    network.add("127.0.0.1", root.gateway().linkPort());
    return network;
  }

  private static RawWebSocket session(TestNode node, String subject) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    RawWebSocket client = node.json();
    client.text("{\"type\":\"connect\",\"token\":\"" + KEY.sign(claims) + "\"}");
    client.await("hello");
    return client;
  }

  private static void awaitRevocations(TestNode node, int number) {
    await().atMost(LONG).until(() -> node.metric("sluice_revocations") == number);
  }

  @Test
  void shouldEndSessionsAtAllLeaves() {
    try (TestIssuer issuer = TestIssuer.start()) {
      issuer.publish(KEY);
      try (TestNode root = TestNode.start(node(issuer));
          Switchboard toRoot = network(root);
          TestNode relay = TestNode.start(leaf(issuer, toRoot));
          Switchboard toRelay = network(relay);
          TestNode far = TestNode.start(leaf(issuer, toRelay));
          RawWebSocket ann = session(relay, "ann");
          RawWebSocket annFar = session(far, "ann");
          RawWebSocket bob = session(far, "bob")) {
        root.revoke("token", "any"); // its arrival shows that the links are open
        awaitRevocations(far, 1);
        root.revoke("subject", "ann");
        assertThat(ann.awaitClose()).isEqualTo(REVOKED);
        assertThat(annFar.awaitClose()).isEqualTo(REVOKED);

        toRoot.removeAll();
        toRoot.cut();
        relay.revoke("token", "at the relay");
        awaitRevocations(far, 3);
        root.revoke("subject", "bob");
        toRoot.add("127.0.0.1", root.gateway().linkPort());
        assertThat(bob.awaitClose()).isEqualTo(REVOKED);

        root.restore("subject", "bob");
        awaitRevocations(far, 3);
        assertThat(root.metric("sluice_revocations")).isEqualTo(2); // none of the relay
      }
    }
  }
}
