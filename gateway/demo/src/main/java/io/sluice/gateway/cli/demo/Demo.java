package io.sluice.gateway.cli.demo;

import io.sluice.gateway.cli.command.Address;
import io.sluice.gateway.cli.command.BrokerChild;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Ports;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.feed.Feed;
import io.sluice.gateway.feed.FeedPlan;
import io.sluice.gateway.feed.FeedSender;
import io.sluice.gateway.feed.Market;
import io.sluice.gateway.node.Opened;
import io.sluice.gateway.node.RunningNode;
import io.sluice.gateway.node.StartFailure;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts of the demo, with their start and stop order. {@link #start} is called by the main thread,
 * {@link #stop} by any other; they may overlap.
 */
final class Demo {
  private static final Logger LOG = LoggerFactory.getLogger(Demo.class);
  private static final double UPDATES = 10;
  private static final String TOPICS = "stocks.";
  private static final Duration FEED_STOP_LIMIT = Duration.ofSeconds(2);

  /** Maximum time until the feed is connected for the first time. */
  private static final Duration CONNECT = Duration.ofSeconds(30);

  /** Maximum time after a start of the broker until a node connects. */
  private static final Duration RECONNECT = Duration.ofSeconds(1);

  /** Topics to which visitors may publish; prices are not among them. */
  private static final List<String> OPEN_TOPICS = List.of("chat.>");

  /** Messages of the log from which a page resumes: 50 s of all stocks. */
  private static final int HISTORY_MESSAGES = 50_000;

  private static final long HISTORY_BYTES = 32L << 20;

  private final Opened opened = new Opened();
  private final Market market = new Market(System.nanoTime());
  private final Restartable<BrokerChild> broker =
      new Restartable<>(this::startBroker, BrokerChild::close);
  private final Restartable<RunningFeed> feed =
      new Restartable<>(this::startFeed, RunningFeed::end);
  private final DemoFaults faults = new DemoFaults(new BrokerAndFeed());
  private final CompletableFuture<Integer> brokerEnd = new CompletableFuture<>();
  private final DemoSource source;

  /** True if the demo uses servers that it does not start. */
  private final boolean external;

  private volatile List<String> servers;
  private Path folder;
  private RunningNode node;

  /**
   * @param servers addresses of running servers; empty: the demo starts one
   */
  Demo(DemoSource source, List<String> servers) {
    this.source = source;
    this.servers = servers;
    this.external = !servers.isEmpty();
  }

  /** Feed and the thread that it occupies. */
  private record RunningFeed(Feed feed, Thread thread) {
    /** Stops the feed and waits until it has closed its connection. */
    void end() {
      feed.stop();
      try {
        thread.join(FEED_STOP_LIMIT.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Broker for the page's faults; the feed ends before the broker and starts after it. */
  private final class BrokerAndFeed implements DemoFaults.Part {
    @Override
    public boolean isRunning() {
      return external || broker.running() != null;
    }

    @Override
    public void start() throws Exception {
      startWatchedBroker();
      feed.start();
    }

    @Override
    public void stop() {
      if (external) {
        throw new IllegalStateException("the demo has not started this server (--servers)");
      }
      feed.stop();
      broker.stop();
    }
  }

  /**
   * Starts all parts; the second node starts in the background.
   *
   * @param secondPort client port of the second node; 0: any free port
   */
  void start(Config config, int secondPort, DemoNodes nodes) throws Exception {
    if (!external) {
      folder = Files.createTempDirectory("sluice-demo");
      opened.add(this::deleteFolder);
      startWatchedBroker();
      opened.add(() -> broker.close(BrokerChild::close));
    }
    Config common =
        source
            .config(config, servers)
            .with(BrokerSettings.RECONNECT_MAX, RECONNECT)
            .with(HistorySettings.MESSAGES, HISTORY_MESSAGES)
            .with(HistorySettings.BYTES, HISTORY_BYTES)
            .with(HistorySettings.WARM, List.of(TOPICS + ">"))
            .with(TopicSettings.PUBLISH_TOPICS, OPEN_TOPICS);
    startFeedFirst();
    int port;
    // Reserved until here: the first node may bind any port too.
    try (ServerSocket reserved = Ports.reserve(config.get(ServerSettings.HOST), secondPort)) {
      port = reserved.getLocalPort();
      Config first = withPagesOf(port, named(common, "demo-1"));
      node = startNode(first, nodes, RunningNode::drainAndStop);
    }
    Config second = withPagesOf(node.port(), named(common, "demo-2"));
    startSecond(second.with(ServerSettings.PORT, port).with(AdminSettings.PORT, 0), nodes);
  }

  private BrokerChild startBroker() {
    BrokerChild child = source.start(servers.isEmpty() ? 0 : port(servers.get(0)), folder);
    servers = List.of(child.url());
    return child;
  }

  /** Starts the feed, which creates the topics, and waits for its connection. */
  private void startFeedFirst() throws Exception {
    feed.start();
    opened.add(() -> feed.close(RunningFeed::end));
    RunningFeed first = feed.running();
    if (first == null) {
      return; // the demo stops
    }
    try {
      first.feed().connected().get(CONNECT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new CommandFailure(
          "no connection to %s within %d s: %s"
              .formatted(
                  ServiceUrl.masked(String.join(",", servers)),
                  CONNECT.toSeconds(),
                  first.feed().lastFailure().orElse("no response")),
          e);
    }
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private void deleteFolder() {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("the folder of the demo's server is not deleted");
    }
  }

  private void startWatchedBroker() throws Exception {
    if (external) {
      return;
    }
    broker.start();
    BrokerChild child = broker.running();
    if (child != null) {
      child.ended().thenAccept(code -> onBrokerEnd(child, code));
    }
  }

  /** Ends the demo with its broker, unless the page has stopped that. */
  private void onBrokerEnd(BrokerChild child, int code) {
    if (broker.running() == child) {
      brokerEnd.complete(code);
    }
  }

  private RunningFeed startFeed() {
    Feed started =
        Feed.to(
            senders(),
            new FeedPlan(TOPICS, market.stocks(), UPDATES),
            market,
            report -> LOG.atDebug().addKeyValue("report", report).log("feed.report"));
    Thread publisher = new Thread(started, "feed");
    publisher.setDaemon(true);
    publisher.start();
    return new RunningFeed(started, publisher);
  }

  private FeedSender.Source senders() {
    try {
      return source.senders(servers);
    } catch (NoClassDefFoundError e) {
      String kind = source.name().toLowerCase(Locale.ROOT);
      throw new CommandFailure("--source " + kind + ": " + StartFailure.missing(e), e);
    }
  }

  private static Config named(Config config, String name) {
    return config.with(AdminSettings.NODE_NAME, name);
  }

  /** Returns the configuration of a node to which pages of the other node may connect. */
  private static Config withPagesOf(int port, Config config) {
    String scheme = Address.scheme(config, "http");
    List<String> origins = new ArrayList<>(config.get(ServerSettings.ALLOWED_ORIGINS));
    for (String host : List.of("localhost", "127.0.0.1", "[::1]")) {
      origins.add(scheme + "://" + host + ":" + port);
    }
    return config.with(ServerSettings.ALLOWED_ORIGINS, origins);
  }

  private void startSecond(Config config, DemoNodes nodes) {
    Thread starter =
        new Thread(
            () -> {
              try {
                startNode(config, nodes, RunningNode::close);
              } catch (Exception e) {
                onSecondFailed(e);
              } finally {
                faults.onNodesStarted();
              }
            },
            "demo-second-node");
    starter.setDaemon(true);
    starter.start();
  }

  // A node cannot be started while the process ends.
  private static void onSecondFailed(Exception cause) {
    if (isEnding()) {
      LOG.atDebug().setCause(cause).log("demo.second-node-failed");
    } else {
      LOG.atWarn().setCause(cause).log("demo.second-node-failed");
    }
  }

  private static boolean isEnding() {
    Thread hook = new Thread(() -> {}, "demo-ending");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException e) { // no hook is accepted once the process ends
      return true;
    }
  }

  /** Starts a node that keeps its ports when it is killed and starts again. */
  private RunningNode startNode(Config config, DemoNodes nodes, Consumer<RunningNode> end)
      throws Exception {
    RunningNode started = nodes.start(config, faults);
    Config again =
        config
            .with(ServerSettings.PORT, started.port())
            .with(AdminSettings.PORT, started.adminPort());
    Restartable<RunningNode> part =
        Restartable.running(started, () -> nodes.start(again, faults), RunningNode::close);
    opened.add(() -> part.close(end));
    faults.addNode(started.port(), config.get(AdminSettings.NODE_NAME), part);
    return started;
  }

  /** Stops the started parts in reverse order. */
  void stop() {
    BrokerChild child = broker.running();
    if (child != null) {
      child.announceStop();
    }
    opened.close();
  }

  RunningNode node() {
    return node;
  }

  int awaitBrokerEnd() {
    return brokerEnd.join();
  }
}
