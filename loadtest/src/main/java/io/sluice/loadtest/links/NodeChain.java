package io.sluice.loadtest.links;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A broker, and tiers of nodes of which each has a link to the tier before it. Each is a process.
 * Bound to one thread.
 */
final class NodeChain implements AutoCloseable {
  /** A node. */
  private record Node(Child process, URI clients, URI ready) {}

  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final long POLL_MILLIS = 50;
  private static final int OK = 200;

  /** Below the range of ports for connections. */
  private static final int FIRST_PORT = 20_000;

  private static final int LAST_PORT = 32_000;
  private static final Pattern BROKER = Pattern.compile("BROKER READY (\\S+)");
  private static final Pattern CLIENTS = Pattern.compile("Sluice listens at (\\S+)");
  private static final Pattern ADMIN = Pattern.compile("admin: (\\S+)");

  /** Logs exceed the messages on the way; a slow subscriber delays publishers, not itself. */
  private static final String SETTINGS =
      """
      server: {host: 127.0.0.1, port: 0}
      admin: {host: 127.0.0.1, port: 0}
      auth.anonymous: true
      limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0, publish-rate: 0}
      limits.pending-bytes: 16MiB
      history: {messages: 10000, bytes: 64MiB, memory: 128MiB}
      """;

  private final Path launcher;
  private final boolean multicast;
  private final Path folder;
  private final List<List<Node>> tiers = new ArrayList<>();
  private Child broker;
  private String brokerUrl;

  private NodeChain(Path launcher, boolean multicast, Path folder) {
    this.launcher = launcher;
    this.multicast = multicast;
    this.folder = folder;
  }

  /**
   * Starts the processes and waits until all nodes are ready.
   *
   * @param multicast whether each node with leaves has a multicast group
   * @param folder for configuration files
   * @param sizes number of nodes per tier, the one with the broker first
   */
  static NodeChain start(Path launcher, boolean multicast, Path folder, List<Integer> sizes)
      throws IOException, InterruptedException {
    NodeChain chain = new NodeChain(launcher, multicast, folder);
    try {
      chain.startBroker();
      int rootPort = -1;
      for (int tier = 0; tier < sizes.size(); tier++) {
        int port = tier < sizes.size() - 1 ? freePort() : -1;
        chain.startTier(sizes.get(tier), rootPort, port);
        rootPort = port;
      }
      return chain;
    } catch (IOException | InterruptedException e) {
      chain.close();
      throw e;
    }
  }

  private void startBroker() throws IOException, InterruptedException {
    broker = Child.start("broker", List.of(launcher.toString(), "broker", "--port", "0"));
    brokerUrl = broker.await(BROKER, START_LIMIT).group(1);
  }

  private void startTier(int nodes, int rootPort, int port)
      throws IOException, InterruptedException {
    String source =
        rootPort < 0
            ? "broker.url: " + brokerUrl + "\n"
            : "nodes.roots: [ws://127.0.0.1:" + rootPort + "]\n";
    String group = multicast ? ", dial: [\"udp://239.8.8.9:" + port + "\"]" : "";
    String links = port < 0 ? "" : "links: {port: " + port + ", subscribe: [\">\"]" + group + "}\n";
    Path file = folder.resolve("tier-" + tiers.size() + ".yaml");
    Files.writeString(file, SETTINGS + source + links);
    List<Child> started = new ArrayList<>();
    List<Node> tier = new ArrayList<>();
    try {
      for (int i = 0; i < nodes; i++) {
        String name = "node " + i + " of tier " + tiers.size();
        List<String> command = List.of(launcher.toString(), "run", "--config", file.toString());
        started.add(Child.start(name, command));
      }
      for (Child each : started) {
        URI clients = URI.create(each.await(CLIENTS, START_LIMIT).group(1));
        URI ready = URI.create(each.await(ADMIN, START_LIMIT).group(1));
        tier.add(new Node(each, clients, ready));
      }
      for (Node each : tier) {
        awaitReady(each);
      }
      tiers.add(tier);
    } catch (IOException | InterruptedException e) {
      started.forEach(Child::close);
      throw e;
    }
  }

  private static void awaitReady(Node node) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(node.ready()).timeout(START_LIMIT).build();
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (true) {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() == OK) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw node.process().failure("is not ready, " + answer.body().strip());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private static int freePort() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (BindException taken) {
        continue;
      }
    }
  }

  /** Returns the broker's URL. */
  String brokerUrl() {
    return brokerUrl;
  }

  /** Returns the WebSockets of the nodes of a tier. */
  List<URI> urls(int tier) {
    return tiers.get(tier).stream().map(Node::clients).toList();
  }

  /** Returns the CPU time in nanoseconds that the nodes of each tier have used. */
  long[] cpu() {
    return tiers.stream()
        .mapToLong(tier -> tier.stream().mapToLong(node -> node.process().cpu().toNanos()).sum())
        .toArray();
  }

  /**
   * Checks that all processes run.
   *
   * @throws IOException for one that has ended; the message contains its last line
   */
  void check() throws IOException {
    List<Child> all = new ArrayList<>(List.of(broker));
    tiers.forEach(tier -> tier.forEach(node -> all.add(node.process())));
    for (Child each : all) {
      if (!each.isAlive()) {
        throw each.failure("ended");
      }
    }
  }

  /** Kills the processes. */
  @Override
  public void close() {
    tiers.forEach(tier -> tier.forEach(node -> node.process().close()));
    if (broker != null) {
      broker.close();
    }
  }
}
