package io.sluice.loadtest.abtest;

import io.sluice.testkit.FreePorts;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** Broker and feed in separate processes, for gateways that an A/B test starts. */
final class BrokerAndFeed implements AutoCloseable {
  private static final String ADDRESS = "127.0.0.1";
  private static final Path LAUNCHER = Path.of("..", "gateway", "bin", "sluice");
  private static final Path SETTINGS = Path.of("..", "docs", "operations", "capacity", "node.yaml");
  private static final int TOPICS = 20;

  private final String url = "tcp://" + ADDRESS + ":" + FreePorts.at(ADDRESS);
  private final int port = FreePorts.at(ADDRESS);
  private final int adminPort = FreePorts.at(ADDRESS);
  private final SluiceProcess broker;
  private SluiceProcess feed;

  private BrokerAndFeed() throws IOException {
    broker = start("broker --port " + URI.create(url).getPort());
  }

  /** Starts both and waits until the feed publishes. */
  static BrokerAndFeed start() throws IOException {
    BrokerAndFeed started = new BrokerAndFeed();
    started.broker.awaitLine("BROKER READY (\\S+)");
    started.feed =
        started.start("feed --broker " + started.url + " --rate 10 --bytes 256 --topics " + TOPICS);
    started.feed.awaitLine("(.*) messages/s, .*");
    return started;
  }

  private SluiceProcess start(String arguments) {
    return SluiceProcess.start(List.of(LAUNCHER.toString()), arguments.split(" "));
  }

  /** Returns a gateway that is started for each of its runs. */
  SystemUnderTest gateway(String name) {
    String command =
        "%s run --anonymous --broker %s --config %s --port %d --admin-port %d"
            .formatted(LAUNCHER, url, SETTINGS, port, adminPort);
    return new SystemUnderTest(
        name,
        Optional.of(command),
        URI.create("ws://" + ADDRESS + ":" + port + "/ws"),
        Optional.of(URI.create("http://" + ADDRESS + ":" + adminPort + "/metrics")),
        Optional.of(URI.create("http://" + ADDRESS + ":" + adminPort + "/health/ready")));
  }

  /** Returns the parameters of a short load that equals the feed's. */
  static Properties load() {
    Properties load = new Properties();
    load.setProperty("topics", Integer.toString(TOPICS));
    load.setProperty("rate", "10");
    load.setProperty("size", "256");
    load.setProperty("ramp", "1");
    load.setProperty("warmup", "1");
    return load;
  }

  @Override
  public void close() {
    if (feed != null) {
      feed.close();
    }
    broker.close();
  }
}
