package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.limits.Quotas;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.websocket.CloseCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of redirects of sessions, their cooldown and their counts. */
final class RedirectedSessionTest {
  private static final String PLACE = "wss://gw-2.example.com/ws";
  private static final Principal ANN = TestAccess.principal("ann", Map.of());
  private static final Duration PING = Duration.ofSeconds(10);

  /**
   * Two pings and a fraction are rounded up to three; one is added, because the first may be sent
   * at once.
   */
  private static final Duration REST = Duration.ofSeconds(21);

  private static final int PINGS_OF_REST = 4;

  private static final Config CONFIG =
      Config.defaults()
          .with(TimeoutSettings.PING, PING)
          .with(LimitSettings.PRINCIPAL_CONNECTIONS, 1);

  private final Exposition exposition = new Exposition("redirected-session-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final HubFixture fixture = new HubFixture(1, CONFIG, 16);
  private final Access access = TestAccess.of(CONFIG, Map.of("ann", ANN, "bob", bob()));
  private final SessionPolicy policy =
      new SessionPolicy(
          SessionOptions.of(CONFIG),
          "node",
          "1",
          UnpooledByteBufAllocator.DEFAULT,
          fixture.hub,
          metrics,
          access);
  private final RedirectCooldown cooldown = policy.cooldown();
  private final TestConnection client = new TestConnection(fixture.loops.get(0)::execute);
  private final Quotas quotas = new Quotas(QuotaOptions.of(CONFIG), metrics);
  private final Session session = session(client);
  private int asked;

  private static Principal bob() {
    return TestAccess.principal("bob", Map.of());
  }

  private Session session(TestConnection connection) {
    connection.lease = (Lease) quotas.acquire("192.0.2.1");
    return new Session(
        connection,
        fixture.shards.get(0),
        policy,
        SessionFeatures.of(List.of()),
        Encoding.JSON,
        null);
  }

  @AfterEach
  void close() {
    session.onClosed();
    fixture.settle();
    access.close();
    metrics.close();
    exposition.close();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private String ask() {
    asked++;
    return PLACE;
  }

  private void say(Session to, String json) {
    to.onText(Unpooled.copiedBuffer(json, StandardCharsets.UTF_8));
    fixture.settle();
  }

  private void connect(Session to, String members) {
    say(to, "{\"type\":\"connect\",\"token\":\"ann\"" + members + "}");
  }

  private double redirects(String cause) {
    return exposition
        .registry()
        .get("sluice.redirects")
        .tag("cause", cause)
        .functionCounter()
        .count();
  }

  @Test
  void shouldRedirectAConnectingClientInsteadOfHello() {
    cooldown.enable(this::ask, REST);
    connect(session, ",\"redirect\":true");

    assertThat(client.types()).containsExactly("redirect");
    assertThat(client.frames.get(0).get("url").asText()).isEqualTo(PLACE);
    assertThat(client.closed()).isEqualTo(CloseCode.REDIRECTED);
    assertThat(redirects("connect")).isEqualTo(1);
    assertThat(cooldown.movable()).isZero();
    say(session, "{\"type\":\"ping\",\"ref\":1}");
    assertThat(client.types()).as("nothing has begun").containsExactly("redirect");
  }

  @Test
  void shouldNotRequestATargetForClientsThatFollowNoRedirects() {
    cooldown.enable(this::ask, REST);
    connect(session, "");

    assertThat(client.wasTold("hello")).isTrue();
    assertThat(asked).isZero();
    assertThat(cooldown.movable()).isZero();
    assertThat(session.isMovable(RedirectReason.BALANCE)).isFalse();
  }

  @Test
  void shouldNotRedirectARedirectedClientAgain() {
    cooldown.enable(this::ask, REST);
    connect(session, ",\"redirect\":true,\"redirected\":true");

    assertThat(client.wasTold("hello")).isTrue();
    assertThat(asked).isZero();
    assertThat(cooldown.movable()).isEqualTo(1);
  }

  @Test
  void shouldNotRevealOtherNodesToUnauthenticatedClients() {
    cooldown.enable(this::ask, REST);
    say(session, "{\"type\":\"connect\",\"redirect\":true}");

    assertThat(client.closed()).isEqualTo(CloseCode.UNAUTHORIZED);
    assertThat(client.wasTold("redirect")).isFalse();
    assertThat(asked).isZero();
  }

  @Test
  void shouldNotCountARedirectedConnectionAgainstThePrincipal() {
    cooldown.enable(this::ask, REST);
    TestConnection before = new TestConnection(fixture.loops.get(0)::execute);
    Session sentAway = session(before);
    connect(sentAway, ",\"redirect\":true");
    assertThat(before.closed()).isEqualTo(CloseCode.REDIRECTED);
    sentAway.onClosed();
    connect(session, "");

    assertThat(client.wasTold("hello")).isTrue();
  }

  @Test
  void shouldRedirectAClientAgainOnlyAfterItsCooldown() {
    cooldown.enable(() -> null, REST);
    connect(session, ",\"redirect\":true");
    assertRests();
    session.onRedirect(PLACE, RedirectReason.BALANCE);
    fixture.settle();
    assertThat(client.types()).containsExactly("hello", "stale", "redirect");
    assertThat(client.closed()).isNull();
    assertThat(redirects("rebalance")).isEqualTo(1);
    assertThat(cooldown.movable()).isZero();
    assertThat(cooldown.redirected()).isEqualTo(1);

    assertRests();
    assertThat(cooldown.movable()).isEqualTo(1);
    assertThat(cooldown.redirected()).isZero();
  }

  private void assertRests() {
    for (int ping = 1; ping <= PINGS_OF_REST; ping++) {
      assertThat(session.isMovable(RedirectReason.BALANCE)).as("before ping %d", ping).isFalse();
      session.onPing();
    }
    assertThat(session.isMovable(RedirectReason.BALANCE)).isTrue();
    session.onPing();
    assertThat(session.isMovable(RedirectReason.BALANCE)).isTrue();
  }

  @Test
  void shouldNotCountDisconnectedClients() {
    cooldown.enable(() -> null, Duration.ZERO);
    connect(session, ",\"redirect\":true");
    TestConnection second = new TestConnection(fixture.loops.get(0)::execute);
    Session told = session(second);
    say(told, "{\"type\":\"connect\",\"token\":\"bob\",\"redirect\":true}");
    told.onRedirect(PLACE, RedirectReason.BALANCE);
    assertThat(cooldown.movable()).isEqualTo(1);
    assertThat(cooldown.redirected()).isEqualTo(1);

    told.onClosed();
    told.onClosed();
    session.onClosed();
    assertThat(cooldown.movable()).isZero();
    assertThat(cooldown.redirected()).isZero();
    assertThat(session.isMovable(RedirectReason.BALANCE)).isFalse();
  }

  @Test
  void shouldCapTheCooldownAtTheLargestCount() {
    cooldown.enable(() -> null, Duration.ofDays(3650));
    connect(session, ",\"redirect\":true");
    for (int ping = 1; ping < Short.MAX_VALUE; ping++) {
      session.onPing();
    }
    assertThat(session.isMovable(RedirectReason.BALANCE)).isFalse();
    session.onPing();
    assertThat(session.isMovable(RedirectReason.BALANCE)).isTrue();
    session.onRedirect(PLACE, RedirectReason.BALANCE);
    assertThat(cooldown.redirected()).isEqualTo(1);
  }
}
