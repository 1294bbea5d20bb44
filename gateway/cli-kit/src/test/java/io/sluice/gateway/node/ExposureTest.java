package io.sluice.gateway.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExposureTest {
  private static final Config CLOSED =
      Config.defaults().with(ServerSettings.TLS_CERTIFICATE, "certificate.pem");

  private static final Config WITH_TOKENS =
      CLOSED
          .with(AuthSettings.JWT_KEYS, List.of("keys.json"))
          .with(TopicSettings.PERMISSION_CLAIM, "sluice");

  private static List<String> found(Config config) {
    return Exposure.of(config).stream().map(Exposure::toString).toList();
  }

  @Test
  void shouldFindNothingInTheDefaultsBehindTls() {
    assertThat(found(CLOSED)).isEmpty();
  }

  @Test
  void shouldReportCredentialsWithoutTls() {
    Config plain = WITH_TOKENS.with(ServerSettings.TLS_CERTIFICATE, "");
    String reported =
        "server.tls.certificate: credentials are sent unencrypted unless a proxy terminates TLS on"
            + " this host";
    assertThat(found(plain)).containsExactly(reported);
    assertThat(found(plain.with(AuthSettings.ANONYMOUS, true))).contains(reported);
    assertThat(found(plain.with(ServerSettings.HOST, "127.0.0.1"))).isEmpty();
    assertThat(found(plain.with(ServerSettings.TRUSTED_PROXIES, List.of("10.0.0.1")))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "tcp://artemis:61616, artemis",
    "'(tcp://localhost:1,tcp://b.example:2)?ha=true', b.example",
    "failover:(ssl://a:1), ",
    "'failover:(ssl://a:1,nio://b:2)', b",
    "tcp://artemis:61616?sslEnabled=true, ",
    "tcp://127.0.0.1:61616, ",
    "tcp://[::1]:61616, ",
    "amqp://c, c",
    "amqps://amqp:1, "
  })
  void shouldReportAPasswordThatIsSentUnencrypted(String url, String host) {
    Config config = CLOSED.with(BrokerSettings.URL, url);
    List<String> reported =
        host == null
            ? List.of()
            : List.of("broker.url: the password is sent unencrypted to " + host);

    assertThat(found(config)).isEmpty();
    assertThat(found(config.with(BrokerSettings.PASSWORD, "x"))).isEqualTo(reported);
    assertThat(found(config.with(BrokerSettings.PASSWORD_FILE, "f"))).isEqualTo(reported);
  }

  @Test
  void shouldReportOriginsThatAnAttackerCanHave() {
    assertThat(found(CLOSED.with(ServerSettings.ALLOWED_ORIGINS, List.of("null"))))
        .containsExactly(
            "server.allowed-origins: any web page may connect: a sandboxed frame of every page, a"
                + " data: URL and a local file have the origin null");
    assertThat(found(CLOSED.with(ServerSettings.ALLOWED_ORIGINS, List.of("file://"))))
        .containsExactly(
            "server.allowed-origins: any local file that a browser opens may connect, including"
                + " downloaded ones: all have the origin file://");
    List<String> pages =
        List.of("http://A.example:80", "https://b.example", "http://localhost:3000");
    assertThat(found(CLOSED.with(ServerSettings.ALLOWED_ORIGINS, pages)))
        .containsExactly(
            "server.allowed-origins: pages of http://a.example can be changed by an attacker in"
                + " their network");
  }

  @Test
  void shouldReportThatAllAuthenticatedClientsMaySubscribe() {
    assertThat(found(WITH_TOKENS)).isEmpty();
    assertThat(found(WITH_TOKENS.with(TopicSettings.PERMISSION_CLAIM, "")))
        .containsExactly("subscribe.topics: all authenticated clients may subscribe to >");
  }

  @Test
  void shouldReportAnAdminTokenWithoutTls() {
    Config remote = CLOSED.with(AdminSettings.HOST, "0.0.0.0").with(AdminSettings.TOKEN, "secret");
    assertThat(found(remote))
        .containsExactly("admin.tls.certificate: operators' tokens are sent unencrypted");
    assertThat(found(remote.with(AdminSettings.TLS_CERTIFICATE, "admin.pem"))).isEmpty();
    Config issuer = CLOSED.with(AdminSettings.OIDC_ISSUER, "https://id.example.com");
    assertThat(found(issuer.with(AdminSettings.HOST, "0.0.0.0"))).hasSize(1);
  }

  @Test
  void shouldReportAnonymousClientsAndTheirTopics() {
    Config open = CLOSED.with(AuthSettings.ANONYMOUS, true);
    assertThat(found(open))
        .containsExactly(
            "auth.anonymous: clients without a credential may connect and subscribe to >");
    assertThat(found(open.with(TopicSettings.PERMISSION_CLAIM, "sluice")))
        .containsExactly("auth.anonymous: clients without a credential may connect");
  }

  @Test
  void shouldReportPublishingWithoutRules() {
    Config open = CLOSED.with(TopicSettings.PUBLISH_TOPICS, List.of("chat.*", "say"));
    assertThat(found(open))
        .containsExactly("publish.topics: all authenticated clients may publish to chat.*, say");
    assertThat(found(open.with(AuthSettings.ANONYMOUS, true)))
        .contains("publish.topics: clients without a credential may publish to chat.*, say");
    PermissionRule rule = new PermissionRule(Map.of(), List.of(), List.of("chat.*"));
    assertThat(found(open.with(TopicSettings.PERMISSION_RULES, List.of(rule)))).isEmpty();
  }

  @Test
  void shouldReportQueuesWithoutRules() {
    Config open =
        CLOSED
            .with(TopicSettings.QUEUES_SEND, List.of("orders"))
            .with(TopicSettings.QUEUES_CONSUME, List.of("inbox.*"))
            .with(TopicSettings.QUEUES_BROWSE, List.of("a", "b"));
    assertThat(found(open))
        .containsExactly(
            "queues.send: all authenticated clients may publish to the queues orders",
            "queues.consume: all authenticated clients may consume the queues inbox.*",
            "queues.browse: all authenticated clients may browse the queues a, b");
    PermissionRule rule = new PermissionRule(Map.of(), List.of(), List.of("chat.*"));
    assertThat(found(open.with(TopicSettings.PERMISSION_RULES, List.of(rule)))).isEmpty();
  }

  @Test
  void shouldReportSubscriptionsAtTheBrokerWithoutRules() {
    Config open =
        CLOSED
            .with(TopicSettings.TOPICS_DURABLE, List.of("orders.>"))
            .with(TopicSettings.TOPICS_SHARED, List.of("a", "b"));
    assertThat(found(open))
        .containsExactly(
            "topics.durable: all authenticated clients may have durable subscriptions at the broker"
                + " of orders.>",
            "topics.shared: all authenticated clients may share messages of a, b");
    PermissionRule rule = new PermissionRule(Map.of(), List.of("a"), List.of());
    assertThat(found(open.with(TopicSettings.PERMISSION_RULES, List.of(rule)))).isEmpty();
  }

  @Test
  void shouldReportOriginsEchoPlainIssuersAndOpenMetrics() {
    Config open =
        CLOSED
            .with(ServerSettings.ALLOWED_ORIGINS, List.of("*"))
            .with(ServerSettings.ECHO, true)
            .with(AuthSettings.ALLOW_PLAIN_HTTP, true)
            .with(AdminSettings.METRICS_OPEN, true);
    assertThat(Exposure.of(open))
        .extracting(Exposure::key)
        .containsExactly("server.allowed-origins", "server.echo", "auth.allow-plain-http");
    assertThat(Exposure.of(open.with(AdminSettings.HOST, "0.0.0.0")))
        .extracting(Exposure::key)
        .contains("admin.metrics-open");
  }
}
