package io.sluice.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.feed.Feed;
import io.sluice.gateway.feed.FeedPlan;
import io.sluice.gateway.feed.FeedProvider;
import io.sluice.gateway.feed.FeedTarget;
import io.sluice.gateway.feed.RandomPayloads;
import io.sluice.testkit.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * All attacks on a node at the same time, in a small size. Each ends by its limit. Honest clients
 * receive every message once, and no resources remain in use.
 */
@Tag("alone")
@Tag("full")
@Timeout(300)
final class AttackIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final int HONEST = 40;
  private static final int TOPICS = 10;
  private static final int NEWCOMERS = 10;
  private static final long PINNED_SLACK = 256 * 1024;

  @TempDir private static Path folder;
  private static TestBroker broker;
  private static Secrets secrets;
  private static Feed feed;
  private static Feed bulk;

  @BeforeAll
  static void start() {
    secrets = Secrets.create(folder);
    broker = TestBroker.start("artemis");
    feed = feed("stocks.", TOPICS, 128);
    bulk = feed("bulk.", 1, 32 * 1024);
  }

  private static Feed feed(String prefix, int topics, int bytes) {
    Feed feed =
        Feed.to(
            FeedTarget.of(broker.url(), FeedProvider.ARTEMIS),
            new FeedPlan(prefix, topics, 10),
            new RandomPayloads(bytes),
            report -> {});
    Thread thread = new Thread(feed, "feed " + prefix);
    thread.setDaemon(true);
    thread.start();
    return feed;
  }

  @AfterAll
  static void stop() {
    feed.stop();
    bulk.stop();
    broker.close();
    secrets.close();
  }

  // Limits that a few attackers exceed soon, and honest clients never.
  private static Config config(Site site) {
    Config small =
        TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
            .with(TimeoutSettings.HANDSHAKE, Duration.ofSeconds(4))
            .with(TimeoutSettings.CLOSE, Duration.ofSeconds(1))
            .with(ServerSettings.SEND_BUFFER, 16L * 1024)
            .with(HistorySettings.FRAMES, 64L * 1024) // shared frames stay in use
            .with(LimitSettings.PENDING_BYTES, 64L * 1024)
            .with(LimitSettings.FRAME_RATE, 200) // more than a collision in a burst
            .with(LimitSettings.SUBSCRIPTIONS, 20)
            .with(LimitSettings.SELECTORS, 10)
            .with(LimitSettings.SUBSCRIBE_RATE, 20)
            .with(LimitSettings.PUBLISH_RATE, 20)
            .with(LimitSettings.CLIENT_ERRORS, 20);
    return site.configure(small, secrets);
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource
  void shouldServeHonestClientsAndEndEveryAttack(Site site) {
    Config config = config(site);
    try (TestNode node = TestNode.start(config);
        HonestClients honest = new HonestClients(honestTarget(site, node), "stocks.", TOPICS)) {
      await().atMost(TIMEOUT).until(() -> node.admin("/health/ready").statusCode() == 200);
      honest.connect(HONEST);
      long pinned = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
      try (RuleReloads operator = site.isReloaded() ? operator(node, config) : null) {
        attack(site, node, honest);
        await("reloads")
            .atMost(TIMEOUT)
            .until(() -> !site.isReloaded() || RuleReloads.cycles(operator) > 1);
      }
      awaitQuiet(node, pinned);
      assertWhole(honest);
    }
  }

  private static Target honestTarget(Site site, TestNode node) {
    return site.honest("127.0.0.1", node.gateway().port(), secrets.tokens());
  }

  private static RuleReloads operator(TestNode node, Config config) {
    Path file = folder.resolve("node.yaml");
    node.gateway().reloadFrom(() -> ConfigFile.read(file, name -> null), any -> {});
    return new RuleReloads(
        withdrawn -> {
          NodeFile.write(file, config.with(TopicSettings.PERMISSION_RULES, Users.rules(withdrawn)));
          assertThat(node.command("/reload").statusCode()).isEqualTo(200);
        },
        Site.RULED.attackers("127.0.0.1", node.gateway().port()),
        secrets.tokens().of(Users.OBSERVER));
  }

  private static void attack(Site site, TestNode node, HonestClients honest) {
    Map<Attack, Attackers> attacks = new LinkedHashMap<>();
    Target target = site.attackers("127.0.0.1", node.gateway().port());
    try {
      for (Attack attack : site.attacks()) {
        Attack.Load load = attack.small();
        Attackers attackers =
            new Attackers(
                target, attack.script(secrets.tokens()), load.connections(), load.opensPerSecond());
        attacks.put(attack, attackers);
        attackers.start();
      }
      attacks.forEach((attack, attackers) -> awaitEnd(attack, attackers, node));
      attacks.forEach(AttackIT::assertNoLeak);
      for (int newcomer = 0; newcomer < NEWCOMERS; newcomer++) {
        assertThat(honest.newcomer(TIMEOUT.toMillis())).as("ms of a newcomer").isPositive();
      }
    } finally {
      attacks.values().forEach(Attackers::close);
    }
  }

  // Several at the attackers, because one could be a coincidence; the node counts them as well.
  private static void awaitEnd(Attack attack, Attackers attackers, TestNode node) {
    await(attack + " ends by " + attack.outcome())
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              if (attack.isSeen()) {
                assertThat(attackers.outcomes().getOrDefault(attack.outcome(), 0L))
                    .as("%s of %s", attack.outcome(), attackers.outcomes())
                    .isGreaterThanOrEqualTo(2);
              }
              if (attack.sample() != null) {
                assertThat(node.metric(attack.sample())).as(attack.sample()).isGreaterThan(1);
              }
              if (attack.audited() != null) {
                assertThat(secrets.refusals(attack.audited())).as("audited").isGreaterThan(1);
              }
            });
  }

  private static void assertNoLeak(Attack attack, Attackers attackers) {
    assertThat(attackers.outcomes()).as(attack.what()).doesNotContainKey(Attackers.LEAKED);
  }

  private static void awaitQuiet(TestNode node, long pinned) {
    await("what the attackers had is given back")
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              assertThat(node.metric("sluice_connections")).isEqualTo(HONEST);
              assertThat(node.metric("sluice_subscriptions")).isEqualTo(HONEST);
              assertThat(node.metric("sluice_interests")).isEqualTo(TOPICS);
              assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory())
                  .as("bytes of buffers in use, %d before", pinned)
                  .isLessThan(pinned + PINNED_SLACK);
            });
  }

  private static void assertWhole(HonestClients honest) {
    Reading reading = honest.read();
    assertThat(reading.received()).isPositive();
    assertThat(reading.isWhole()).as("%s", reading).isTrue();
  }
}
