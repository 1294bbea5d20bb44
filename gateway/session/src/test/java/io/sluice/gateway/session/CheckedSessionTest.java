package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Authenticator;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.revocation.Revocation;
import io.sluice.gateway.websocket.CloseCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of events during the check of a client's credential. */
final class CheckedSessionTest {
  private static final Config CONFIG = Config.defaults().with(LimitSettings.CLIENT_ERRORS, 4);
  private static final Principal ANN =
      new Principal("ann", Mechanism.JWT, "t-1", 1, Principal.NEVER, Map.of());

  private static final AuthenticationFailure UNKNOWN_KEY =
      new AuthenticationFailure(Reason.REFUSED, "unknown key");

  private final Exposition exposition = new Exposition("checked-session-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final HubFixture fixture = new HubFixture(1, CONFIG, 16);
  private final Queue<Runnable> loop = new ArrayDeque<>(); // run by the test
  private final TestConnection client = new TestConnection(loop::add);
  private final Checks checks = new Checks();
  private final Access access = TestAccess.of(CONFIG, checks);
  private final Session session =
      new Session(
          client,
          fixture.shards.get(0),
          new SessionPolicy(
              SessionOptions.of(CONFIG),
              "node",
              "1",
              UnpooledByteBufAllocator.DEFAULT,
              fixture.hub,
              metrics,
              access),
          SessionFeatures.of(List.of()),
          Encoding.JSON,
          null);

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

  /** Check that the test completes. */
  private static final class Checks implements Authenticator {
    private final Queue<CompletableFuture<Principal>> asked = new ArrayDeque<>();

    @Override
    public CompletionStage<Principal> authenticate(Credential credential, String address) {
      CompletableFuture<Principal> answer = new CompletableFuture<>();
      asked.add(answer);
      return answer;
    }

    @Override
    public void close() {}
  }

  private void run() {
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
  }

  private void say(String json) {
    session.onText(Unpooled.copiedBuffer(json, StandardCharsets.UTF_8));
  }

  @Test
  void shouldRefuseATokenRevokedBetweenCheckAndSession() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    access.revocations().add(Revocation.Kind.TOKEN, "t-1", Principal.NEVER);
    assertThat(session.onRevoked(peer -> true)).as("no session yet").isFalse();
    run();

    assertThat(client.closed()).isEqualTo(CloseCode.REVOKED);
    assertThat(client.wasTold("hello")).isFalse();
    assertThat(client.wasTold("unauthorized")).isTrue();
  }

  @Test
  void shouldRefuseARefreshWithATokenRevokedAfterItsCheck() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    run();
    assertThat(client.wasTold("hello")).isTrue();

    say("{\"type\":\"refresh\",\"ref\":2,\"token\":\"secret\"}");
    checks
        .asked
        .remove()
        .complete(new Principal("ann", Mechanism.JWT, "t-2", 2, Principal.NEVER, Map.of()));
    access.revocations().add(Revocation.Kind.TOKEN, "t-2", Principal.NEVER);
    run();

    assertThat(client.wasTold("refreshed")).isFalse();
    assertThat(client.wasTold("unauthorized")).isTrue();
    assertThat(client.closed()).as("the token it has is still good").isNull();
  }

  @Test
  void shouldBeListedAndEndedByItsSubject() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    run();

    ClientView view = session.view();
    assertThat(view.subject()).isEqualTo("ann");
    assertThat(view.mechanism()).isEqualTo("jwt");
    assertThat(view.token()).isEqualTo("t-1");
    assertThat(view.address()).isEqualTo(TestConnection.ADDRESS);

    assertThat(session.onRevoked(peer -> peer.principal().name().equals("bob"))).isFalse();
    assertThat(session.onRevoked(peer -> peer.principal().name().equals("ann"))).isTrue();
    assertThat(client.closed()).isEqualTo(CloseCode.REVOKED);
    assertThat(session.view()).as("it is closing").isNull();
  }

  @Test
  void shouldRefuseATokenThatExpiresBetweenCheckAndSession() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(new Principal("ann", Mechanism.JWT, "t-1", 1, 2, Map.of()));
    run();

    assertThat(client.closed()).isEqualTo(CloseCode.EXPIRED);
    assertThat(client.wasTold("hello")).isFalse();
  }

  @Test
  void shouldSendDrainingAfterAPendingAuthentication() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    say("{\"type\":\"ping\",\"ref\":1}");
    session.onDraining(1763700010000L, "wss://gw-2.example.com/ws");
    assertThat(client.frames).as("before authentication").isEmpty();
    checks.asked.remove().complete(ANN);
    run();

    assertThat(client.types()).containsExactly("hello", "stale", "draining", "pong");
    assertThat(client.frames.get(2).get("deadline").asLong()).isEqualTo(1763700010000L);
    assertThat(client.frames.get(2).get("url").asText()).isEqualTo("wss://gw-2.example.com/ws");
  }

  @Test
  void shouldSendDrainingToAClientThatConnectsDuringADrain() {
    session.onDraining(1763700010000L, null);
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    run();

    assertThat(client.types()).containsExactly("hello", "stale", "draining");
  }

  @Test
  void shouldCloseAClientWhoseCheckFailsByABug() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(null); // an invalid result of a check
    run();

    assertThat(client.closed()).isEqualTo(CloseCode.NOT_VERIFIED);
  }

  @Test
  void shouldCloseAClientThatSendsInvalidFramesDuringTheCheck() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    for (int i = 1; i < CONFIG.get(LimitSettings.CLIENT_ERRORS); i++) {
      say("x");
    }
    assertThat(client.closed()).isNull();
    say("x");

    assertThat(client.closed()).isEqualTo(CloseCode.TOO_MANY_ERRORS);
  }

  @Test
  void shouldCountTheMemoryOverheadOfBufferedFrames() {
    String ping = "{\"type\":\"ping\",\"ref\":1}";
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    long most = CONFIG.get(LimitSettings.PRE_AUTH_BYTES) / (ping.length() + 256);
    for (int i = 0; i < most; i++) {
      say(ping);
    }
    assertThat(client.closed()).isNull();
    say(ping);

    assertThat(client.closed()).isEqualTo(CloseCode.TOO_BIG);
  }

  @Test
  void shouldLeaveBufferedBytesToOtherAddresses() {
    ClientFrame ping = new ClientFrame.Ping(1);
    Shares node = new Shares(16 * 1024);
    List<PreAuthBuffer> flood = new ArrayList<>();
    PreAuthBuffer last;
    do {
      last = new PreAuthBuffer(node, "2001:db8::/64", 1024);
      flood.add(last);
    } while (last.add(ping, 256));
    assertThat(flood).hasSize(17);
    PreAuthBuffer other = new PreAuthBuffer(node, "192.0.2.2", 1024);
    for (int i = 0; i < 8; i++) {
      assertThat(other.add(ping, 256)).isTrue();
    }
    flood.forEach(PreAuthBuffer::close);
    other.close();
    assertThat(node.used()).isZero();
  }

  @Test
  void shouldRateLimitRefreshes() {
    Principal lasting = new Principal("ann", Mechanism.JWT, "t-2", 2, Principal.NEVER, Map.of());
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    run();
    for (int i = 0; i < 5; i++) {
      say("{\"type\":\"refresh\",\"ref\":2,\"token\":\"secret\"}");
      checks.asked.remove().complete(lasting);
      run();
    }
    assertThat(client.wasTold("rate-limited")).isFalse();
    for (int i = 0;
        i < 1000 && !client.wasTold("rate-limited");
        i++) { // a slow machine accumulates more tokens
      say("{\"type\":\"refresh\",\"ref\":3,\"token\":\"secret\"}");
      if (!checks.asked.isEmpty()) {
        checks.asked.remove().complete(lasting);
      }
      run();
    }

    assertThat(client.wasTold("over 1 refreshes a second")).isTrue();
    assertThat(client.closed()).isNull();
  }

  @Test
  void shouldNotCloseARateLimitedClient() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    run();
    // All but the first arrive during the check of the first.
    for (int i = 0; i <= 2 * CONFIG.get(LimitSettings.CLIENT_ERRORS); i++) {
      say("{\"type\":\"refresh\",\"ref\":2,\"token\":\"secret\"}");
    }
    run();

    assertThat(client.wasTold("rate-limited")).isTrue();
    assertThat(client.closed()).isNull();
  }

  @Test
  void shouldAllowRetriesAfterRefusedRefreshes() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    run();
    for (int i = 0; i < CONFIG.get(LimitSettings.CLIENT_ERRORS); i++) {
      say("{\"type\":\"refresh\",\"ref\":2,\"token\":\"secret\"}");
      checks.asked.remove().completeExceptionally(UNKNOWN_KEY);
      run();
    }

    assertThat(client.wasTold("unknown key")).isTrue();
    assertThat(client.closed()).isNull();
  }

  @Test
  void shouldEndTheSessionOfARefreshForAnotherClient() {
    say("{\"type\":\"connect\",\"token\":\"secret\"}");
    checks.asked.remove().complete(ANN);
    run();
    say("{\"type\":\"refresh\",\"ref\":2,\"token\":\"secret\"}");
    checks.asked.remove().complete(Principal.ANONYMOUS);
    run();

    assertThat(client.wasTold("belongs to another client")).isTrue();
    assertThat(client.wasTold("refreshed")).isFalse();
    assertThat(client.closed()).isEqualTo(CloseCode.UNAUTHORIZED);
  }
}
