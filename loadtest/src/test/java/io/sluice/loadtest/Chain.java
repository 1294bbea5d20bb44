package io.sluice.loadtest;

import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Broker, gateway and feed in separate processes, on free ports. Bound to one thread. */
final class Chain implements AutoCloseable {
  private static final Path LAUNCHER = Path.of("..", "gateway", "bin", "sluice");

  private final List<SluiceProcess> processes = new ArrayList<>();
  private final String broker;
  private final String url;
  private final String metrics;

  private Chain(Path folder) throws IOException {
    broker = start("broker", "--port", "0").awaitLine("BROKER READY (\\S+)").group(1);
    Path configuration = folder.resolve("node.yaml");
    Files.writeString(
        configuration,
        "server.host: 127.0.0.1\nadmin.host: 127.0.0.1\nbroker.url: " + broker + "\n");
    SluiceProcess node =
        start(
            "run",
            "--anonymous",
            "--config",
            configuration.toString(),
            "--port",
            "0",
            "--admin-port",
            "0");
    url = node.awaitLine("Sluice listens at (\\S+)").group(1);
    String admin = node.awaitLine("admin: (\\S+)/health/ready").group(1);
    metrics = admin + "/metrics";
    SluiceProcess.awaitStatus(admin + "/health/ready", 200);
  }

  /**
   * Starts broker and gateway.
   *
   * @param folder for the gateway's configuration
   */
  static Chain start(Path folder) throws IOException {
    return new Chain(folder);
  }

  /** Starts a feed and waits until it publishes. */
  void feed(int topics, int rate, int bytes) {
    start(
            "feed",
            "--broker",
            broker,
            "--topics",
            String.valueOf(topics),
            "--rate",
            String.valueOf(rate),
            "--bytes",
            String.valueOf(bytes))
        .awaitLine("(.*) messages/s, .*");
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

  private SluiceProcess start(String... arguments) {
    SluiceProcess process = SluiceProcess.start(List.of(LAUNCHER.toString()), arguments);
    processes.add(process);
    return process;
  }

  /** Stops the processes in reverse order. */
  @Override
  public void close() {
    for (int i = processes.size() - 1; i >= 0; i--) {
      processes.get(i).close();
    }
  }
}
