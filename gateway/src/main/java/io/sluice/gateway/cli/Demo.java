package io.sluice.gateway.cli;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.feed.Feed;
import io.sluice.gateway.feed.FeedPlan;
import io.sluice.gateway.feed.FeedProvider;
import io.sluice.gateway.feed.FeedTarget;
import io.sluice.gateway.feed.Market;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts of the demo, with their start and stop order. {@link #start} is called by the main thread,
 * {@link #stop} by any other; they may overlap.
 */
final class Demo {
  private static final Logger LOG = LoggerFactory.getLogger(Demo.class);
  private static final double UPDATES = 10;
  private static final Duration FEED_STOP_LIMIT = Duration.ofSeconds(2);

  private final Deque<Runnable> stops = new ArrayDeque<>();
  private boolean stopped;
  private BrokerChild broker;
  private StartedNode node;

  void start(Config config, StartedNode.Starter nodes) throws Exception {
    broker = BrokerChild.start(0, null);
    onStop(broker::close);
    node = nodes.start(config.with(BrokerSettings.URL, broker.url()), true);
    onStop(node::drainAndStop);
    Market market = new Market(System.nanoTime());
    Feed feed =
        Feed.to(
            FeedTarget.of(broker.url(), FeedProvider.ARTEMIS),
            new FeedPlan("stocks.", market.stocks(), UPDATES),
            market,
            report -> LOG.atDebug().addKeyValue("report", report).log("feed.report"));
    Thread publisher = new Thread(feed, "feed");
    publisher.setDaemon(true);
    publisher.start();
    onStop(() -> end(feed, publisher));
  }

  /** Stops the started parts in reverse order. */
  void stop() {
    Deque<Runnable> actions;
    synchronized (stops) {
      stopped = true;
      actions = new ArrayDeque<>(stops);
      stops.clear();
    }
    actions.forEach(Runnable::run);
  }

  /** Stops the feed and waits until it has closed its connection, before the broker stops. */
  private static void end(Feed feed, Thread publisher) {
    feed.stop();
    try {
      publisher.join(FEED_STOP_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  StartedNode node() {
    return node;
  }

  int awaitBrokerEnd() {
    return broker.ended().join();
  }

  /** Registers a stop action; runs it at once if the demo is already stopping. */
  private void onStop(Runnable action) {
    boolean late;
    synchronized (stops) {
      late = stopped;
      if (!late) {
        stops.push(action);
      }
    }
    if (late) {
      action.run();
    }
  }
}
