package io.sluice.gateway.cli.demo;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.feed.Feed;
import io.sluice.gateway.feed.FeedPlan;
import io.sluice.gateway.feed.FeedProvider;
import io.sluice.gateway.feed.FeedReport;
import io.sluice.gateway.feed.FeedTarget;
import io.sluice.gateway.feed.Market;
import io.sluice.gateway.feed.Payloads;
import io.sluice.gateway.feed.RandomPayloads;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Feed of a command, whose JMS client may be missing. Used by the main thread; any may stop it. */
final class FeedPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(FeedPublisher.class);

  private final Target target;
  private final Feed feed;

  /**
   * Broker of a feed. Immutable.
   *
   * @param client name of a {@link FeedProvider}
   */
  record Target(String broker, String client, String user, String password, boolean persistent) {}

  /** Messages of a feed. Immutable. */
  record Load(String prefix, int topics, double rate, int bytes, boolean market) {}

  /**
   * @throws IllegalArgumentException if the values are out of bounds
   */
  FeedPublisher(Target target, Load load, Consumer<String> reports) {
    this.target = target;
    this.feed =
        Feed.to(
            new FeedTarget(
                target.broker,
                FeedProvider.valueOf(target.client),
                target.user,
                target.password,
                target.persistent),
            new FeedPlan(load.prefix, load.topics, load.rate),
            payloads(load),
            report -> reports.accept(report.toString()));
  }

  private static Payloads payloads(Load load) {
    if (!load.market) {
      return new RandomPayloads(load.bytes);
    }
    Market stocks = new Market(System.nanoTime());
    if (load.topics > stocks.stocks()) {
      throw new IllegalArgumentException(
          "--topics " + load.topics + " exceeds the " + stocks.stocks() + " stocks of --market");
    }
    return stocks;
  }

  /**
   * Publishes until {@link #stop}, on a separate thread, because a JMS client may block longer than
   * the timeout.
   *
   * @throws CommandFailure if the feed is not connected in time
   */
  void publish(int connectTimeoutS) throws InterruptedException {
    LOG.atInfo()
        .addKeyValue("url", ServiceUrl.masked(target.broker))
        .addKeyValue("provider", target.client)
        .log("feed.connecting");
    CompletableFuture<Void> running = CompletableFuture.runAsync(feed, FeedPublisher::startThread);
    try {
      CompletableFuture.anyOf(feed.connected(), running).get(connectTimeoutS, TimeUnit.SECONDS);
      running.get();
    } catch (TimeoutException e) {
      feed.stop();
      String cause = feed.lastFailure().orElse("it does not reply");
      throw new CommandFailure(
          ("no connection to %s with the JMS client %s within %d s (--connect-timeout): %s;"
                  + " check --broker and --provider")
              .formatted(ServiceUrl.masked(target.broker), target.client, connectTimeoutS, cause),
          e);
    } catch (ExecutionException e) {
      throw new CommandFailure(e.getCause().toString(), e);
    }
  }

  private static void startThread(Runnable publisher) {
    Thread thread = new Thread(publisher, "feed");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the figures since the first connection, after the end of {@link #publish}. */
  Optional<String> total() {
    return feed.total().map(FeedReport::toString);
  }

  void stop() {
    feed.stop();
  }
}
