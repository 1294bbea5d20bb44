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

/** Node with its own host; it may be running or not. Bound to one thread. */
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
   * @param folder folder of its configuration
   * @param settings YAML without listening addresses
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

  /** Returns the node's line of the balancer's configuration. */
  String server() {
    return Haproxy.server(host.front() + ":" + PORTS.clients(), PORTS.admin());
  }

  /** Returns the clients' URL of a node on a host, with the host's name. */
  static String clientsUrl(Host host) {
    return "ws://" + host.front() + ":" + PORTS.clients() + "/ws";
  }

  /** Returns the URL of its metrics. */
  String metricsUrl() {
    return "http://" + host.front() + ":" + PORTS.admin() + "/metrics";
  }

  /** Starts the node, possibly again. Returns when it is ready. */
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

  /** Waits until it is ready. */
  void awaitReady() {
    process.awaitReady();
    noteReady();
  }

  private void noteReady() {
    readyMs = System.currentTimeMillis();
  }

  /** Returns the time at which it was last ready. */
  long readyMs() {
    return readyMs;
  }

  boolean runs() {
    return runs;
  }

  /** Drains the node. Returns when its process has ended. */
  void stop() {
    process.stop();
    runs = false;
  }

  /** Kills the process. */
  void kill() {
    process.kill();
    runs = false;
  }

  /** Stops the process with SIGSTOP. */
  void pause() {
    process.pause();
  }

  /** Continues the process after {@link #pause}. */
  void resume() {
    process.resume();
  }

  /** Returns the value of a sample of its metrics. */
  double metric(String sample) {
    return process.metric(sample);
  }

  /** Returns the current number of clients. */
  int connections() {
    return (int) metric("sluice_connections");
  }

  /** Returns the number of nodes that are up in its view, including itself. */
  int peersUp() {
    return (int) metric("sluice_cluster_nodes{state=\"up\"}");
  }

  long pid() {
    return process.pid();
  }

  /** Returns its processor time since the start. */
  double cpuSeconds() {
    return ProcessTime.cpuSeconds(process.pid());
  }

  /**
   * Traffic sent by its interface since the start. Immutable.
   *
   * @param bytes including Ethernet headers
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

  /** Returns the traffic sent to other nodes. */
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
