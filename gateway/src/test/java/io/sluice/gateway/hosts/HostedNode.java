package io.sluice.gateway.hosts;

import io.sluice.gateway.cli.Haproxy;
import io.sluice.gateway.cli.TunedNode;
import io.sluice.gateway.config.Setting;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.ProcessTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A node with a host of its own; it may run or not. Bound to one thread. */
final class HostedNode implements AutoCloseable {
  private static final NodeProcess.Ports PORTS = new NodeProcess.Ports(8080, 9090);

  private final Host host;
  private final Path folder;
  private final String settings;
  private final Map<Setting<?>, Long> internal;
  private NodeProcess process;
  private boolean runs;
  private long readyMs;

  /**
   * @param folder where its configuration is written
   * @param settings YAML; not where it listens
   * @param internal settings that no file can set
   */
  HostedNode(Host host, Path folder, String settings, Map<Setting<?>, Long> internal) {
    this.host = host;
    this.folder = folder;
    this.settings = settings;
    this.internal = internal;
  }

  Host host() {
    return host;
  }

  /** As the balancer's configuration names it. */
  String server() {
    return Haproxy.server(host.front() + ":" + PORTS.clients(), PORTS.admin());
  }

  /** Where clients reach a node on a host by its name. */
  static String clientsUrl(Host host) {
    return "ws://" + host.front() + ":" + PORTS.clients() + "/ws";
  }

  /** Where its metrics are. */
  String metricsUrl() {
    return "http://" + host.front() + ":" + PORTS.admin() + "/metrics";
  }

  /** Starts it, for the first time or once more, and returns when it is ready. */
  void start() {
    if (process == null) {
      process =
          NodeProcess.start(
              host.launcher(), host.front(), PORTS, folder, settings, TunedNode.command(internal));
    } else {
      process.restart();
    }
    runs = true;
    noteReady();
  }

  /** Returns when it is ready. */
  void awaitReady() {
    process.awaitReady();
    noteReady();
  }

  private void noteReady() {
    readyMs = System.currentTimeMillis();
  }

  /** When it was ready last. */
  long readyMs() {
    return readyMs;
  }

  boolean runs() {
    return runs;
  }

  /** Has it send its clients away, and returns when it has ended. */
  void stop() {
    process.stop();
    runs = false;
  }

  /** Ends it without a farewell. */
  void kill() {
    process.kill();
    runs = false;
  }

  /** Stops it where it stands. */
  void pause() {
    process.pause();
  }

  /** Lets it go on after {@link #pause}. */
  void resume() {
    process.resume();
  }

  /** The value of one sample of its metrics. */
  double metric(String sample) {
    return process.metric(sample);
  }

  /** Clients now. */
  int connections() {
    return (int) metric("sluice_connections");
  }

  /** How many nodes it takes for being up, itself included. */
  int peersUp() {
    return (int) metric("sluice_cluster_nodes{state=\"up\"}");
  }

  long pid() {
    return process.pid();
  }

  /** Its processor time until now. */
  double cpuSeconds() {
    return ProcessTime.cpuSeconds(process.pid());
  }

  /**
   * What its interface has sent until now. Immutable.
   *
   * @param bytes with the headers of Ethernet
   */
  record Traffic(long bytes, long packets) {
    Traffic minus(Traffic other) {
      return new Traffic(bytes - other.bytes, packets - other.packets);
    }

    Traffic plus(Traffic other) {
      return new Traffic(bytes + other.bytes, packets + other.packets);
    }
  }

  private static final int SENT_BYTES = 8;

  /** What it has sent to other nodes. */
  Traffic sentToNodes() {
    String device = Network.Side.BACK.device() + ":";
    try {
      return Files.readAllLines(Path.of("/proc/" + process.pid() + "/net/dev")).stream()
          .map(String::strip)
          .filter(line -> line.startsWith(device))
          .map(line -> line.substring(device.length()).strip().split("\\s+"))
          .map(f -> new Traffic(Long.parseLong(f[SENT_BYTES]), Long.parseLong(f[SENT_BYTES + 1])))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
