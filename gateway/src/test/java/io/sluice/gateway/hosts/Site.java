package io.sluice.gateway.hosts;

import static org.awaitility.Awaitility.await;

import io.sluice.gateway.cli.Haproxy;
import io.sluice.gateway.cli.Numbers;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.testkit.BrokerJvm;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The deployment: a broker with a publisher of numbers, nodes that don't run yet, a balancer before
 * them and clients. Bound to one thread.
 */
final class Site implements AutoCloseable {
  static final int NODES = 3;

  /** The nth node's host has this number and n. */
  private static final int FIRST_NODE = 10;

  /** {@code resume.margin} of the nodes. */
  static final long MARGIN_MS = 2_000;

  /** Of {@code resume.spread}, and of what messages were under way. */
  private static final long SOME_MORE_MS = 1_000;

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration POLL = Duration.ofMillis(200);

  /** Tolerance of the nodes, in percent. */
  private static final int TOLERANCE_PERCENT = 20;

  /** Of few clients, it doesn't matter where they are. */
  private static final int LEAST_TOLERANCE = 10;

  private static final String PEERS =
      IntStream.rangeClosed(1, NODES)
          .mapToObj(i -> "\"%s%d:7800\"".formatted(Host.BACK, FIRST_NODE + i))
          .collect(Collectors.joining(", "));
  private static final int BROKER_PORT = 61616;
  private static final int BALANCER_PORT = 80;
  private static final int SERVERS_PORT = 81;

  /** More clients at once would be a storm. */
  private static final int AT_ONCE = 100;

  private final Network network = new Network();
  private final Host brokerHost = network.add("broker", 2);
  private final BrokerJvm broker;
  private final List<HostedNode> nodes;
  private final HostedNode witness;
  private final Host balancerHost = network.add("balancer", 3);
  private final Haproxy balancer;
  private final Roamers roamers;
  private final List<String> topics;
  private final Numbers numbers;

  /**
   * Starts everything but nodes.
   *
   * @param haproxy the program
   * @param folder for configurations
   */
  Site(Plan plan, String haproxy, Path folder) throws IOException {
    broker =
        BrokerJvm.artemis(
            brokerHost.launcher(), "--host", brokerHost.front(), "--port", "" + BROKER_PORT);
    nodes =
        IntStream.rangeClosed(1, NODES)
            .mapToObj(i -> network.addNode("gw-" + i, FIRST_NODE + i))
            .map(host -> node(host, plan, folder))
            .toList();
    Host apart = network.addNode("witness", FIRST_NODE + NODES + 1);
    nodes.forEach(node -> network.cut(Network.Side.BACK, apart, node.host()));
    witness = node(apart, plan, folder);
    balancer =
        Haproxy.start(
            balancerHost.launcher(),
            haproxy,
            folder,
            balancerHost.front() + ":" + BALANCER_PORT,
            NODES * plan.clients(),
            nodes.stream().map(HostedNode::server).toList(),
            Haproxy.tellingServers(balancerHost.front() + ":" + SERVERS_PORT, NODES));
    topics = IntStream.range(0, plan.topics()).mapToObj(i -> "numbers." + i).toList();
    roamers = new Roamers(new InetSocketAddress(balancerHost.front(), BALANCER_PORT), topics);
    numbers = publish(Duration.ofMillis(plan.intervalMs()));
  }

  /** Publishes to all topics in turn, beside who does so already. */
  Numbers publish(Duration interval) {
    return new Numbers("artemis", brokerUrl(), topics, interval);
  }

  private String brokerUrl() {
    return "tcp://" + brokerHost.front() + ":" + BROKER_PORT;
  }

  private HostedNode node(Host host, Plan plan, Path folder) {
    String settings =
        """
        node.name: %s
        broker.url: "%s"
        broker.linger: 1m
        broker.canary.patience: %ds
        timeouts.ping: 2s
        timeouts.drain: %ds
        history.messages: 20000
        history.bytes: 16MiB
        resume.margin: %dms
        admin.metrics-open: true
        drain.rate: %d
        cluster.name: hosts
        cluster.host: %s
        cluster.nodes: [%s]
        cluster.secret: only-for-these-hosts
        cluster.public-url: %s
        balance.redirect: true
        balance.shed-rate: %d
        """
            .formatted(
                host.name(),
                brokerUrl(),
                plan.patienceS(),
                plan.drainS(),
                MARGIN_MS,
                plan.drainRate(),
                host.back(),
                PEERS,
                HostedNode.clientsUrl(host),
                plan.shedRate());
    Map<Setting<?>, Long> internal =
        Map.of(
            BrokerSettings.CANARY_INTERVAL, 500L,
            ClusterSettings.REPORT, (long) plan.reportMs(),
            ClusterSettings.BALANCE_BROKER_LOSS_AFTER, 0L,
            ClusterSettings.BALANCE_COOLDOWN, (long) plan.restMs(),
            ClusterSettings.BALANCE_TOLERANCE, (long) TOLERANCE_PERCENT);
    return new HostedNode(host, folder, settings, internal);
  }

  Network network() {
    return network;
  }

  Host brokerHost() {
    return brokerHost;
  }

  /** All, those that don't run included. */
  List<HostedNode> nodes() {
    return nodes;
  }

  /** One more that is alone, cut from the others, and has no clients but its own. */
  HostedNode witness() {
    return witness;
  }

  List<HostedNode> running() {
    return nodes.stream().filter(HostedNode::runs).toList();
  }

  Roamers roamers() {
    return roamers;
  }

  /** Starts a node, and returns when the balancer sends clients there. */
  void start(HostedNode node) {
    node.start();
    String up = "http://%s:%d/%s".formatted(balancerHost.front(), SERVERS_PORT, node.host().name());
    SluiceProcess.awaitStatus(up, 200);
  }

  /** How many messages the broker has taken of its own publisher. */
  long published() {
    return numbers.accepted().stream().mapToLong(Long::longValue).sum();
  }

  /** So many more clients come; returns when each has its subscription. */
  void addClients(int count) {
    for (int left = count; left > 0; left -= AT_ONCE) {
      roamers.add(Math.min(left, AT_ONCE));
      awaitLive();
    }
  }

  /** So many more clients come to a node, past the balancer; otherwise as {@link #addClients}. */
  void addClientsOf(HostedNode node, int count) {
    for (int left = count; left > 0; left -= AT_ONCE) {
      roamers.add(Math.min(left, AT_ONCE), HostedNode.clientsUrl(node.host()));
      awaitLive();
    }
  }

  /** Returns when each client has its subscription. */
  void awaitLive() {
    await("all clients are live")
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .until(() -> roamers.live() == roamers.count());
  }

  /** Returns when all clients are live and have all that is sent until now, and one more. */
  void awaitWhole() {
    List<Long> next = numbers.accepted().stream().map(number -> number + 1).toList();
    await("all clients have all messages")
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .until(() -> roamers.live() == roamers.count() && roamers.behind(next) == 0);
  }

  /**
   * Returns when each client may go to any node that runs and be promised that it misses nothing.
   */
  void awaitTrust() {
    long ready = running().stream().mapToLong(HostedNode::readyMs).max().orElseThrow();
    await("positions that other nodes trust")
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .until(() -> roamers.untrusted(ready + SOME_MORE_MS, MARGIN_MS) == 0);
  }

  /** Returns when all nodes that run know each other, and none has more than its share. */
  void awaitEven() {
    await("nodes are even")
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .until(
            () ->
                running().stream().allMatch(node -> node.peersUp() == running().size())
                    && isEven());
  }

  private boolean isEven() {
    List<Integer> clients = spread().stream().filter(count -> count >= 0).toList();
    double mean = clients.stream().mapToInt(Integer::intValue).average().orElse(0);
    double more = Math.max(LEAST_TOLERANCE, mean * TOLERANCE_PERCENT / 100);
    return clients.stream().allMatch(count -> count <= mean + more);
  }

  /** Clients of each node, in their order; -1 for one that does not run. */
  List<Integer> spread() {
    return nodes.stream().map(node -> node.runs() ? node.connections() : -1).toList();
  }

  /** How many connections nodes have to the broker, all together. */
  long brokerConnections() {
    return Network.peers(brokerHost, BROKER_PORT).stream()
        .filter(peer -> !peer.equals(Network.HERE))
        .count();
  }

  @Override
  public void close() {
    numbers.close();
    roamers.close();
    balancer.close();
    broker.kill(); // first, because it would complain of nodes that end without a word
    nodes.forEach(HostedNode::close);
    witness.close();
  }
}
