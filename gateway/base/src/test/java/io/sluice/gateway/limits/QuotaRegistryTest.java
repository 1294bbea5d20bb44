package io.sluice.gateway.limits;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class QuotaRegistryTest {
  private static final Config MANY_CONNECTIONS =
      Config.defaults().with(LimitSettings.ADDRESS_CONNECTIONS, 100);

  private final Exposition exposition = new Exposition("quotas-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private QuotaRegistry addresses(Config config) {
    return new Quotas(QuotaOptions.of(config), metrics).addresses();
  }

  private double reached(String key) {
    String sample = "sluice_limits_reached_total{limit=\"" + key + "\"} ";
    return new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8)
        .lines()
        .filter(line -> line.startsWith(sample))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length())))
        .sum();
  }

  @Test
  void shouldCountAllConnectionsOfOneNameTogether() {
    QuotaRegistry quotas = addresses(MANY_CONNECTIONS);
    Quota first = quotas.acquire("a");
    assertThat(quotas.acquire("a")).isSameAs(first);
    assertThat(first.connections()).isEqualTo(2);
    quotas.release(first);
    assertThat(first.connections()).isEqualTo(1);
    assertThat(quotas.size()).isEqualTo(1);
  }

  @Test
  void shouldCheckForRoomWithoutRegisteringAQuota() {
    QuotaRegistry quotas = addresses(Config.defaults().with(LimitSettings.ADDRESS_CONNECTIONS, 1));
    assertThat(quotas.hasRoom("a")).isTrue();
    assertThat(quotas.size()).isZero();
    quotas.acquire("a");
    assertThat(quotas.hasRoom("a")).isFalse();
    assertThat(quotas.hasRoom("b")).isTrue();
  }

  @Test
  void shouldRemoveAQuotaWithItsLastConnection() {
    QuotaRegistry quotas = addresses(MANY_CONNECTIONS);
    quotas.release(quotas.acquire("a"));
    assertThat(quotas.size()).isZero();
  }

  @Test
  void shouldKeepAQuotaWithMissingTokensThroughASweep() {
    QuotaRegistry quotas = addresses(MANY_CONNECTIONS.with(LimitSettings.ADDRESS_PUBLISH_RATE, 1));
    Quota quota = quotas.acquire("a");
    assertThat(quota.publish()).isNull();
    quotas.release(quota);
    quotas.sweep();
    assertThat(quotas.of("a")).isSameAs(quota);
  }

  @Test
  void shouldSweepQuotasWithoutConnectionsOnly() {
    QuotaRegistry quotas = addresses(MANY_CONNECTIONS);
    quotas.acquire("a");
    quotas.of("b");
    assertThat(quotas.size()).isEqualTo(2);
    quotas.sweep();
    assertThat(quotas.size()).isEqualTo(1);
  }

  @Test
  void shouldCreateAQuotaForEachConnectionPastTheCapacity() {
    QuotaRegistry quotas = addresses(MANY_CONNECTIONS.with(LimitSettings.ADDRESSES, 2));
    quotas.acquire("a");
    quotas.acquire("b");
    assertThat(reached("limits.addresses")).isZero();
    Quota alone = quotas.acquire("c");
    assertThat(quotas.acquire("c")).isNotSameAs(alone);
    assertThat(reached("limits.addresses")).isEqualTo(2);
    assertThat(quotas.size()).isEqualTo(2);
    quotas.release(alone);
    assertThat(quotas.size()).isEqualTo(2);
  }

  @Test
  void shouldLoseNoConnectionBetweenThreads() {
    QuotaRegistry quotas = addresses(MANY_CONNECTIONS);
    List<CompletableFuture<?>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 50_000; n++) {
                  Quota quota = quotas.acquire("a");
                  assertThat(quota.connections()).isBetween(1, 4);
                  quotas.release(quota);
                }
              }));
    }
    threads.forEach(CompletableFuture::join);
    assertThat(quotas.size()).isZero();
  }

  private QuotaRegistry topics(int rate, int capacity) {
    Config config = Config.defaults().with(LimitSettings.TOPIC_PUBLISH_RATE, rate);
    return QuotaRegistry.ofTopics(QuotaLimits.ofTopic(config), capacity, metrics);
  }

  /** Publishes once to each of a thousand topics, which takes less than a thousand seconds. */
  private static List<String> problems(QuotaRegistry topics) {
    return IntStream.range(0, 1000)
        .mapToObj(i -> topics.of("topic." + i).publish())
        .filter(Objects::nonNull)
        .map(QuotaLimits.Limit::problem)
        .toList();
  }

  @Test
  void shouldCountEachTopicSeparatelyUpToTheCapacity() {
    assertThat(problems(topics(1, 1000))).isEmpty();
  }

  @Test
  void shouldCountTopicsPastTheCapacityTogether() {
    assertThat(problems(topics(1, 2)))
        .isNotEmpty()
        .containsOnly("publish rate exceeds limits.topic-publish-rate (1/s)");
  }

  @Test
  void shouldLimitNothingWithoutALimit() {
    assertThat(topics(0, 1).isLimited()).isFalse();
    QuotaRegistry unlimited =
        QuotaRegistry.ofClients(QuotaLimits.none(), 1, "limits.addresses", metrics);
    assertThat(unlimited.acquire("a")).isSameAs(Quota.UNCOUNTED);
  }
}
