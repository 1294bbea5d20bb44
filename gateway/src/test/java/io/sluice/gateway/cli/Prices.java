package io.sluice.gateway.cli;

import io.sluice.gateway.feed.Feed;
import io.sluice.gateway.feed.FeedPlan;
import io.sluice.gateway.feed.FeedProvider;
import io.sluice.gateway.feed.FeedTarget;
import io.sluice.gateway.feed.Market;

/** The demo's prices, which move from {@link #start} on. */
final class Prices implements AutoCloseable {
  private static final int UPDATES_PER_SECOND = 10;

  private final Feed feed;
  private final Thread thread;

  Prices(String brokerUrl) throws Exception {
    Market market = new Market(7);
    feed =
        Feed.to(
            FeedTarget.of(brokerUrl, FeedProvider.ARTEMIS),
            new FeedPlan("stocks.", market.stocks(), UPDATES_PER_SECOND),
            market,
            report -> {});
    thread = new Thread(feed, "feed");
  }

  void start() {
    thread.start();
  }

  @Override
  public void close() {
    feed.stop();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
