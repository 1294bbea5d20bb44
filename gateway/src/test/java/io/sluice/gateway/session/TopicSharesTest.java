package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TopicSharesTest {
  private final Exposition exposition = new Exposition("topic-shares-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private TopicShares shares(int rate, int topics) {
    return new TopicShares(
        Config.defaults()
            .with(LimitSettings.TOPIC_PUBLISH_RATE, rate)
            .with(LimitSettings.TOPICS, topics),
        metrics);
  }

  /** One publish to each of a thousand topics, which takes less than a thousand seconds. */
  private static List<String> problems(TopicShares shares) {
    return IntStream.range(0, 1000)
        .mapToObj(i -> shares.publishProblem("topic." + i))
        .filter(Objects::nonNull)
        .toList();
  }

  @Test
  void shouldCountEachTopicByItselfUpToTheBound() {
    assertThat(problems(shares(1, 1000))).isEmpty();
  }

  @Test
  void shouldCountTopicsPastTheBoundAsOne() {
    TopicShares shares = shares(1, 2);

    assertThat(problems(shares))
        .isNotEmpty()
        .containsOnly(
            "all clients together are over 1 publishes a second to the topics that this node does"
                + " not count one by one");
  }

  @Test
  void shouldCountNothingWithoutALimit() {
    assertThat(problems(shares(0, 1))).isEmpty();
  }
}
