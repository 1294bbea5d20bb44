package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.Node;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PeerQueriesTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private String problem(Config config, String adminUrl) {
    Node node = Node.starting("gw-2", "", adminUrl, "0.1.0");
    NodeAnswer answer =
        new PeerQueries(vertx, QueryOptions.of(config))
            .ask(node, new TopicQuery("a"), "Bearer secret")
            .join();
    assertThat(answer.isOk()).isFalse();
    assertThat(answer.node()).isEqualTo("gw-2");
    return answer.error();
  }

  @Test
  void shouldRefuseNodesWithoutAUsableUrl() {
    assertThat(problem(Config.defaults(), ""))
        .isEqualTo("cluster.admin-url of the node is not set");
    assertThat(problem(Config.defaults(), "ftp://h")).endsWith("is not a URL of http or https");
    assertThat(problem(Config.defaults(), "http://[")).endsWith("is not a URL of http or https");
  }

  @Test
  void shouldNotSendTheTokenWithoutTlsIfThisNodeHasTls() {
    Config secured = Config.defaults().with(AdminSettings.TLS_CERTIFICATE, "admin.pem");
    assertThat(problem(secured, "http://127.0.0.1:1"))
        .isEqualTo("its admin port http://127.0.0.1:1 has no TLS, so the token is not sent");
  }
}
