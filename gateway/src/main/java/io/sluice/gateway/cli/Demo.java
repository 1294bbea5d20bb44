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
 * The parts of the demo and the order in which they start and stop. {@link #start} by the main
 * thread, {@link #stop} by any other; whichever comes second sees what the first has done.
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

  /** Stops what has started, the last first. */
  void stop() {
    Deque<Runnable> actions;
    synchronized (stops) {
      stopped = true;
      actions = new ArrayDeque<>(stops);
      stops.clear();
    }
    actions.forEach(Runnable::run);
  }

  /** The feed closes its connection before the broker goes. */
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

  /** A part that starts while the demo stops is stopped at once. */
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
