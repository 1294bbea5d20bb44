package io.sluice.gateway.http;

import static io.netty.handler.codec.http.HttpHeaderNames.COOKIE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.testkit.RawWebSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed credentials in requests to a node without a broker. */
@Timeout(180)
final class CredentialsIT {
  private static TestNode start() {
    return TestNode.start(
        TestNode.config("artemis", "tcp://127.0.0.1:1").with(AuthSettings.COOKIE, "session"),
        AuthSettings.QUERY_PARAMETER,
        "access_token");
  }

  private static RawWebSocket.Request to(TestNode node, String path) {
    return RawWebSocket.to("127.0.0.1", node.gateway().port(), path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/ws?access_token=%zz", "/ws?access_token=%", "/ws?%zz=1"})
  void shouldRejectAMalformedUrl(String path) {
    try (TestNode node = start();
        RawWebSocket client = to(node, path).open()) {
      client.text("{\"type\":\"ping\",\"ref\":1}");
      assertThat(client.await("error").get("code").asText()).isEqualTo("unauthorized");
    }
  }

  @Test
  void shouldAdmitRequestsWithoutACredential() {
    try (TestNode node = start();
        RawWebSocket client = to(node, "/ws?a=b").set(COOKIE.toString(), "a=b; =; ;c").open()) {
      client.text("{\"type\":\"ping\",\"ref\":1}");
      assertThat(client.await("pong").get("ref").asInt()).isEqualTo(1);
    }
  }
}
