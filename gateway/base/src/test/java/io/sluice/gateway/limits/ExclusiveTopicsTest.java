package io.sluice.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.InterestKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ExclusiveTopicsTest {
  private final Exposition exposition = new Exposition("topics-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final ExclusiveTopics topics = new ExclusiveTopics();

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private Quota quota(String name, int maxTopics) {
    Config config =
        Config.defaults()
            .with(LimitSettings.ADDRESS_TOPICS, maxTopics)
            .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 0);
    return new Quota(name, new CurrentLimits(QuotaLimits.ofAddress(config)), topics, metrics);
  }

  @Test
  void shouldChargeATopicToItsOnlyUser() {
    Quota first = quota("a", 10);
    Quota second = quota("b", 10);
    first.subscribe(InterestKey.of("t"));
    first.subscribe(InterestKey.of("t"));
    assertThat(first.topics()).isEqualTo(1);
    second.subscribe(InterestKey.of("t"));
    assertThat(List.of(first.topics(), second.topics())).containsExactly(0L, 0L);
    first.unsubscribe(InterestKey.of("t"));
    assertThat(second.topics()).isZero();
    first.unsubscribe(InterestKey.of("t"));
    assertThat(second.topics()).isEqualTo(1);
    second.unsubscribe(InterestKey.of("t"));
    assertThat(second.topics()).isZero();
    assertThat(topics.size()).isZero();
  }

  @Test
  void shouldRejectATopicPastTheLimitUnlessOthersUseIt() {
    Quota greedy = quota("a", 2);
    Quota other = quota("b", 2);
    other.subscribe(InterestKey.of("shared"));
    assertThat(greedy.subscribe(InterestKey.of("one"))).isNull();
    assertThat(greedy.subscribe(InterestKey.of("two"))).isNull();
    assertThat(greedy.subscribe(InterestKey.of("three")).problem())
        .isEqualTo(
            "number of topics without another subscriber exceeds limits.per-address.topics (2)");
    assertThat(greedy.subscribe(new InterestKey("shared", "a = 1")))
        .as("a selector on a topic that others use")
        .isNotNull();
    assertThat(greedy.subscribe(InterestKey.of("one"))).isNull();
    assertThat(greedy.subscribe(InterestKey.of("shared"))).isNull();
    assertThat(topics.size()).isEqualTo(3);
  }

  @Test
  void shouldChargeATopicThatOthersHaveLeftEvenPastTheLimit() {
    Quota staying = quota("a", 1);
    Quota leaving = quota("b", 1);
    staying.subscribe(InterestKey.of("own"));
    leaving.subscribe(InterestKey.of("shared"));
    staying.subscribe(InterestKey.of("shared"));
    leaving.unsubscribe(InterestKey.of("shared"));
    assertThat(staying.topics()).isEqualTo(2);
    staying.unsubscribe(InterestKey.of("own"));
    assertThat(staying.subscribe(InterestKey.of("other"))).isNotNull();
    staying.unsubscribe(InterestKey.of("shared"));
    assertThat(staying.subscribe(InterestKey.of("other"))).isNull();
  }

  @Test
  void shouldStayExactBetweenThreads() {
    int maxTopics = 5;
    List<Quota> quotas = List.of(quota("a", maxTopics), quota("b", 0), quota("c", 0));
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      threads.add(CompletableFuture.runAsync(() -> churn(random, quotas)));
    }
    threads.forEach(CompletableFuture::join);
    assertThat(quotas.stream().map(Quota::topics)).containsOnly(0L);
    assertThat(topics.size()).isZero();
  }

  /** Subscribes and unsubscribes at random, and finally removes all its subscriptions. */
  private static void churn(Random random, List<Quota> quotas) {
    Deque<Runnable> ends = new ArrayDeque<>();
    for (int i = 0; i < 20_000; i++) {
      Quota quota = quotas.get(random.nextInt(quotas.size()));
      String topic = "t" + random.nextInt(8);
      if (random.nextBoolean() && !ends.isEmpty()) {
        ends.poll().run();
      } else if (quota.subscribe(InterestKey.of(topic)) == null) {
        ends.add(() -> quota.unsubscribe(InterestKey.of(topic)));
      }
    }
    ends.forEach(Runnable::run);
  }
}
