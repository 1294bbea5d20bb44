package io.sluice.loadtest;

import io.sluice.testkit.FreePorts;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Broker, gateway and feed in separate processes, started by the scripts that measure a node's
 * capacity. Bound to one thread.
 */
final class Chain implements AutoCloseable {
  private static final String ADDRESS = "127.0.0.1";
  private static final Path SCRIPTS = Path.of("..", "docs", "operations", "capacity");

  private final List<String> settings;
  private final SluiceProcess processes;
  private final String broker;
  private final String url;
  private final String metrics;

  private Chain(List<String> settings) {
    this.settings = settings;
    processes = script("start.sh");
    broker = processes.awaitLine("BROKER READY (\\S+)").group(1);
    url = processes.awaitLine("Sluice listens at (\\S+)").group(1);
    String admin = processes.awaitLine("admin: (\\S+)/health/ready").group(1);
    metrics = admin + "/metrics";
    SluiceProcess.awaitStatus(admin + "/health/ready", 200);
    processes.awaitLine("(.*) messages/s, .*");
  }

  /**
   * Starts broker, gateway and feed on free ports, and waits until the feed publishes.
   *
   * @param rate messages per second and topic
   * @param bytes size of a message
   */
  static Chain start(int topics, int rate, int bytes) throws IOException {
    return new Chain(
        List.of(
            "BROKER_PORT=" + FreePorts.at(ADDRESS),
            "PORT=" + FreePorts.at(ADDRESS),
            "ADMIN_PORT=" + FreePorts.at(ADDRESS),
            "TOPICS=" + topics,
            "RATE=" + rate,
            "SIZE=" + bytes));
  }

  /**
   * Starts one of these scripts with the settings of this chain.
   *
   * @param arguments further settings as {@code NAME=VALUE}, the script's name and its arguments
   */
  SluiceProcess script(String... arguments) {
    List<String> command = new ArrayList<>(List.of("env"));
    command.addAll(settings);
    for (String argument : arguments) {
      command.add(argument.endsWith(".sh") ? SCRIPTS.resolve(argument).toString() : argument);
    }
    return SluiceProcess.start(command);
  }

  /** Returns the broker's URL. */
  String broker() {
    return broker;
  }

  /** Returns the gateway's WebSocket URL. */
  String url() {
    return url;
  }

  /** Returns the URL of the gateway's metrics. */
  String metrics() {
    return metrics;
  }

  /** Stops the processes. */
  @Override
  public void close() {
    processes.close();
  }
}
