package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Encoding;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of a client's subscriptions after changes in any order. */
final class SubscriptionsTest {
  /** Topics of plain subscriptions, and refs of tagged ones. */
  private static final List<String> KEYS = List.of("a", "b", "c", "1", "2", "3");

  private static final int LIMIT = 3;
  private static final Config CONFIG =
      Config.defaults()
          .with(AuthSettings.ANONYMOUS, true)
          .with(LimitSettings.SUBSCRIPTIONS, LIMIT)
          .with(LimitSettings.SUBSCRIBE_RATE, 100_000)
          .with(LimitSettings.CLIENT_ERRORS, 100_000);

  private final Exposition exposition = new Exposition("subscriptions-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final HubFixture fixture = new HubFixture(1, CONFIG, 1_000);
  private final SessionPolicy policy =
      new SessionPolicy(
          SessionOptions.of(CONFIG),
          "node",
          "1",
          UnpooledByteBufAllocator.DEFAULT,
          fixture.hub,
          metrics,
          TestAccess.of(CONFIG, Map.of()));

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  /** Returns the type of the reply, or the code of the error. */
  private String answer(Session session, TestConnection client, boolean subscribes, String key) {
    client.frames.clear();
    boolean tagged = Character.isDigit(key.charAt(0));
    String members =
        !tagged
            ? "\"ref\":1,\"topic\":\"" + key + "\""
            : subscribes
                ? "\"topic\":\"a\",\"tagged\":true,\"ref\":" + key
                : "\"ref\":1,\"subscription\":" + key;
    String type = subscribes ? "subscribe" : "unsubscribe";
    String frame = "{\"type\":\"" + type + "\"," + members + "}";
    session.onText(Unpooled.copiedBuffer(frame, StandardCharsets.UTF_8));
    fixture.settle();
    return client.frames.stream()
        .map(read -> read.path("code").asText(read.get("type").asText()))
        .filter(told -> !told.equals("hello"))
        .findFirst()
        .orElse("");
  }

  private static String expected(boolean subscribes, Set<String> held, String key) {
    if (!subscribes) {
      return held.contains(key) ? "unsubscribed" : "not-subscribed";
    }
    if (held.contains(key)) {
      return "already-subscribed";
    }
    return held.size() == LIMIT ? "too-many-subscriptions" : "subscribed";
  }

  @Test
  void shouldTrackSubscriptionsInAnyOrderOfChanges() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    fixture.broker.connect();
    fixture.settle();
    for (int round = 0; round < 50; round++) {
      TestConnection client = new TestConnection(fixture.loops.get(0)::execute);
      Session session =
          new Session(
              client,
              fixture.shards.get(0),
              policy,
              SessionFeatures.of(List.of()),
              Encoding.JSON,
              null);
      Set<String> held = new TreeSet<>();
      for (int step = 0; step < 20; step++) {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        boolean subscribes = random.nextBoolean();
        assertThat(answer(session, client, subscribes, key))
            .as("%s %s with %s, seed %d", subscribes, key, held, seed)
            .isEqualTo(expected(subscribes, held, key));
        if (subscribes && held.size() < LIMIT) {
          held.add(key);
        } else if (!subscribes) {
          held.remove(key);
        }
        int count = session.view().subscriptionCount();
        assertThat(count).as("of %s, seed %d", held, seed).isEqualTo(held.size());
      }
      session.onClosed();
      fixture.settle();
    }
  }
}
