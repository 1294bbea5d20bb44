package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.query.NodeStatus;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PeerQueriesTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** Returns node gw-2 with the URL of its admin port. */
  static NodeStatus node(String adminUrl) {
    NodeStatus.Load load = new NodeStatus.Load(0, 0, 0, 0, 0);
    return new NodeStatus("gw-2", "", adminUrl, "0.1.0", NodeStatus.UP, 0, load);
  }

  private String problem(Config config, String adminUrl) {
    NodeAnswer answer =
        new PeerQueries(vertx, QueryOptions.of(config))
            .ask(node(adminUrl), new TopicQuery("a"), "Bearer secret")
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
