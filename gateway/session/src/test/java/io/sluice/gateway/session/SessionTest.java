package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.websocket.CloseCode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Test of the slow-consumer limit: it counts unsent bytes, not those of the current batch. */
final class SessionTest {
  private static final int MESSAGES = 2_000;
  private static final Config CONFIG =
      Config.defaults()
          .with(AuthSettings.ANONYMOUS, true)
          .with(LimitSettings.PENDING_BYTES, 64L << 10);

  private final Exposition exposition = new Exposition("session-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final HubFixture fixture = new HubFixture(1, CONFIG, 2 * MESSAGES);
  private final TestConnection client = new TestConnection(fixture.loops.get(0)::execute);

  @BeforeEach
  void subscribe() {
    SessionPolicy policy =
        new SessionPolicy(
            SessionOptions.of(CONFIG),
            "node",
            "1",
            UnpooledByteBufAllocator.DEFAULT,
            fixture.hub,
            metrics,
            access());
    Session session =
        new Session(
            client,
            fixture.shards.get(0),
            policy,
            SessionFeatures.of(List.of()),
            Encoding.JSON,
            null);
    fixture.broker.connect();
    String subscribe = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"t\"}";
    session.onText(Unpooled.copiedBuffer(subscribe, StandardCharsets.UTF_8));
    fixture.settle();
  }

  private static Access access() {
    try {
      return TestAccess.open(CONFIG);
    } catch (UnusableAuth e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  /** Writes all frames in one batch. */
  private void publish() {
    for (int i = 0; i < MESSAGES; i++) {
      fixture.broker.publish("t");
    }
    fixture.settle();
  }

  @Test
  void shouldKeepAClientThatReceivesMoreThanTheLimitInOneBatch() {
    long before = client.taken();
    publish();
    assertThat(client.closed()).isNull();
    assertThat(client.taken() - before).isGreaterThan(2 * CONFIG.get(LimitSettings.PENDING_BYTES));
  }

  @Test
  void shouldCloseASlowConsumerAtTheLimit() {
    client.takeOnly(1_000);
    publish();
    assertThat(client.closed()).isEqualTo(CloseCode.SLOW_CONSUMER);
    assertThat(client.pendingBytes()).isLessThanOrEqualTo(CONFIG.get(LimitSettings.PENDING_BYTES));
  }
}
