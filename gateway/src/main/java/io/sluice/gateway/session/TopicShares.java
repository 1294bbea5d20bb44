package io.sluice.gateway.session;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.GatewayMetrics;

/** How fast all clients together publish to each topic. For any thread. */
public final class TopicShares {
  private final GatewayMetrics metrics;
  private final int publishRate;
  private final Shares<TopicShare> shares;

  TopicShares(Config config, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.publishRate = config.get(Settings.LIMIT_TOPIC_PUBLISH_RATE);
    this.shares =
        new Shares<>(
            TopicShare::new,
            config.get(Settings.LIMIT_TOPICS),
            () -> metrics.limitReached(Settings.LIMIT_TOPICS.key()));
  }

  /** Why nobody may publish to a topic just now, or null: then it is counted. */
  String publishProblem(String topic) {
    if (publishRate == 0 || shares.of(topic).publishes.take(1, System.nanoTime())) {
      return null;
    }
    metrics.limitReached(Settings.LIMIT_TOPIC_PUBLISH_RATE.key());
    return "all clients together are over " + publishRate + " publishes a second to this topic";
  }

  /** Forgets those that have rested; not on an event loop. */
  public void sweep() {
    shares.sweep();
  }

  /** One topic's. */
  private final class TopicShare extends Share {
    private final SharedBudget publishes = new SharedBudget(publishRate, System.nanoTime());

    TopicShare(String topic) {
      super(topic);
    }

    @Override
    protected boolean isRested(long nowNs) {
      return publishes.isFull(nowNs);
    }
  }
}
