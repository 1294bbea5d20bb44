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
 * Deployment: a broker with a publisher of numbers, nodes that are not started yet, a balancer and
 * clients. Bound to one thread.
 */
final class Site implements AutoCloseable {
  static final int NODES = 3;

  /** Number of the first node's host minus 1. */
  private static final int FIRST_NODE = 10;

  /** Value of {@code resume.margin} at the nodes. */
  static final long MARGIN_MS = 2_000;

  /** Margin in addition to {@code resume.spread} for messages in transit. */
  private static final long MARGIN_IN_TRANSIT_MS = 1_000;

  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final Duration POLL = Duration.ofMillis(200);

  /** Tolerance of the nodes' balance, in percent. */
  private static final int TOLERANCE_PERCENT = 20;

  /** Tolerance in clients, because few clients need no balance. */
  private static final int MIN_TOLERANCE = 10;

  private static final String PEERS =
      IntStream.rangeClosed(1, NODES)
          .mapToObj(i -> "\"%s%d:7800\"".formatted(Host.BACK, FIRST_NODE + i))
          .collect(Collectors.joining(", "));
  private static final int BROKER_PORT = 61616;
  private static final int BALANCER_PORT = 80;
  private static final int SERVERS_PORT = 81;

  /** Number of clients added at once; more would cause a connect storm. */
  private static final int MAX_BATCH = 100;

  private final Network network = new Network();
  private final Host brokerHost = network.add("broker", 2);
  private final BrokerJvm broker;
  private final List<HostedNode> nodes;
  private final HostedNode witness;
  private final Host balancerHost = network.add("balancer", 3);
  private final Haproxy balancer;
  private final RoamingClients roamers;
  private final List<String> topics;
  private final Numbers numbers;

  /**
   * Starts everything except nodes.
   *
   * @param haproxy path of the program
   * @param folder folder of configurations
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
    roamers =
        new RoamingClients(new InetSocketAddress(balancerHost.front(), BALANCER_PORT), topics);
    numbers = publish(Duration.ofMillis(plan.intervalMs()));
  }

  /** Publishes to all topics in turn, in addition to other publishers. */
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
        broker.canary.timeout: %ds
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
        balance.rebalance-rate: %d
        """
            .formatted(
                host.name(),
                brokerUrl(),
                plan.canaryTimeoutS(),
                plan.drainS(),
                MARGIN_MS,
                plan.drainRate(),
                host.back(),
                PEERS,
                HostedNode.clientsUrl(host),
                plan.rebalanceRate());
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

  /** Returns all nodes, including those that do not run. */
  List<HostedNode> nodes() {
    return nodes;
  }

  /**
   * Returns an additional node that is partitioned from the others and has only its own clients.
   */
  HostedNode witness() {
    return witness;
  }

  List<HostedNode> running() {
    return nodes.stream().filter(HostedNode::runs).toList();
  }

  RoamingClients roamers() {
    return roamers;
  }

  /** Starts a node. Returns when the balancer forwards clients to it. */
  void start(HostedNode node) {
    node.start();
    String up = "http://%s:%d/%s".formatted(balancerHost.front(), SERVERS_PORT, node.host().name());
    SluiceProcess.awaitStatus(up, 200);
  }

  /** Returns the number of messages of its first publisher that the broker has accepted. */
  long published() {
    return numbers.accepted().stream().mapToLong(Long::longValue).sum();
  }

  /** Adds clients. Returns when each has its subscription. */
  void addClients(int count) {
    for (int left = count; left > 0; left -= MAX_BATCH) {
      roamers.add(Math.min(left, MAX_BATCH));
      awaitLive();
    }
  }

  /** Adds clients that connect to a node directly; otherwise like {@link #addClients}. */
  void addClientsOf(HostedNode node, int count) {
    for (int left = count; left > 0; left -= MAX_BATCH) {
      roamers.add(Math.min(left, MAX_BATCH), HostedNode.clientsUrl(node.host()));
      awaitLive();
    }
  }

  /** Waits until each client has its subscription. */
  void awaitLive() {
    await("all clients are live")
        .atMost(TIMEOUT)
        .pollInterval(POLL)
        .until(() -> roamers.live() == roamers.count());
  }

  /**
   * Waits until all clients are live and have received all messages published so far, and one more.
   */
  void awaitComplete() {
    List<Long> next = numbers.accepted().stream().map(number -> number + 1).toList();
    await("all clients have all messages")
        .atMost(TIMEOUT)
        .pollInterval(POLL)
        .until(() -> roamers.live() == roamers.count() && roamers.behind(next) == 0);
  }

  /** Waits until each client can resume at any running node without a gap. */
  void awaitTrust() {
    long ready = running().stream().mapToLong(HostedNode::readyMs).max().orElseThrow();
    await("positions that other nodes trust")
        .atMost(TIMEOUT)
        .pollInterval(POLL)
        .until(() -> roamers.untrusted(ready + MARGIN_IN_TRANSIT_MS, MARGIN_MS) == 0);
  }

  /** Waits until all running nodes are in one view and none has more than its share of clients. */
  void awaitEven() {
    await("nodes are even")
        .atMost(TIMEOUT)
        .pollInterval(POLL)
        .until(
            () ->
                running().stream().allMatch(node -> node.peersUp() == running().size())
                    && isEven());
  }

  private boolean isEven() {
    List<Integer> clients = spread().stream().filter(count -> count >= 0).toList();
    double mean = clients.stream().mapToInt(Integer::intValue).average().orElse(0);
    double more = Math.max(MIN_TOLERANCE, mean * TOLERANCE_PERCENT / 100);
    return clients.stream().allMatch(count -> count <= mean + more);
  }

  /** Returns the number of clients of each node; -1 for a node that does not run. */
  List<Integer> spread() {
    return nodes.stream().map(node -> node.runs() ? node.connections() : -1).toList();
  }

  /** Returns the total number of the nodes' connections to the broker. */
  long brokerConnections() {
    return Network.peers(brokerHost, BROKER_PORT).stream()
        .filter(peer -> !peer.equals(Network.LOCAL_ADDRESS))
        .count();
  }

  @Override
  public void close() {
    numbers.close();
    roamers.close();
    balancer.close();
    broker
        .kill(); // first, because it would report nodes that end without closing their connections
    nodes.forEach(HostedNode::close);
    witness.close();
  }
}
