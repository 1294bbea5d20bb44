package io.sluice.gateway.session;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.metrics.GatewayMetrics;

/**
 * How fast all clients together publish to each topic. For any thread.
 *
 * <p>Topics past the bound share one rate: whoever invents new ones gets no more by that.
 */
public final class TopicShares {
  private static final String OTHERS = "the topics that this node does not count one by one";

  private final GatewayMetrics metrics;
  private final int publishRate;
  private final Shares<TopicShare> shares;

  TopicShares(Config config, GatewayMetrics metrics) {
    this.metrics = metrics;
    this.publishRate = config.get(LimitSettings.TOPIC_PUBLISH_RATE);
    TopicShare others = publishRate == 0 ? null : new TopicShare("");
    this.shares =
        new Shares<>(
            TopicShare::new,
            name -> others,
            config.get(LimitSettings.TOPICS),
            () -> metrics.limitReached(LimitSettings.TOPICS.key()));
  }

  /** Why nobody may publish to a topic just now, or null: then it is counted. */
  String publishProblem(String topic) {
    if (publishRate == 0) {
      return null;
    }
    TopicShare share = shares.of(topic);
    if (share.publishes.take(1, System.nanoTime())) {
      return null;
    }
    metrics.limitReached(LimitSettings.TOPIC_PUBLISH_RATE.key());
    return "all clients together are over "
        + publishRate
        + " publishes a second to "
        + (share.name().isEmpty() ? OTHERS : "this topic");
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
