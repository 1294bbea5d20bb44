package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of the cluster and of rebalancing. Constants only. */
public final class ClusterSettings {
  public static final Setting<String> NAME =
      text(
          "cluster.name",
          "",
          "Name of the cluster, equal on all its nodes; empty: the node runs standalone.");
  public static final Setting<List<String>> NODES =
      list(
          "cluster.nodes",
          List.of(),
          "Addresses of nodes, such as gw-2.example.com:7800. Either this or cluster.dns.");
  public static final Setting<String> DNS =
      text(
          "cluster.dns",
          "",
          "DNS name of the addresses of all nodes, such as that of a headless service. Either"
              + " this or cluster.nodes.");
  public static final Setting<String> HOST =
      text(
          "cluster.host",
          "",
          "Address of this machine for other nodes; empty: the first that is not loopback.");
  public static final Setting<Integer> PORT =
      integer("cluster.port", 7800, 1, 65535, "Port for other nodes, on cluster.host.");
  public static final Setting<String> SECRET =
      text(
          "cluster.secret",
          "",
          "Shared secret of all nodes, at least 16 random characters. Without secret and"
              + " certificate only loopback is allowed.");
  public static final Setting<String> SECRET_FILE =
      text("cluster.secret-file", "", "File with cluster.secret in one line, read at the start.");
  public static final Setting<String> TLS_CERTIFICATE =
      text(
          "cluster.tls.certificate",
          "",
          "Instead of a secret: PEM file with this node's certificate and its chain.");
  public static final Setting<String> TLS_KEY =
      text("cluster.tls.key", "", "PEM file with its private key, as server.tls.key.");
  public static final Setting<String> TLS_CA =
      text(
          "cluster.tls.ca",
          "",
          "PEM file with the authorities of nodes; each certificate that they issue is a node's.");

  public static final Setting<String> PUBLIC_URL =
      text(
          "cluster.public-url",
          "",
          "URL of this node for clients, such as wss://gw-2.example.com/ws, to which other nodes"
              + " redirect clients; empty: none.");
  public static final Setting<String> ADMIN_URL =
      text(
          "cluster.admin-url",
          "",
          "URL of this node's admin port, such as https://gw-2.example.com:9090, for queries and"
              + " commands through other nodes.");

  /** Minimum interval between two reports of load figures to other nodes. */
  public static final Setting<Duration> REPORT = internal("cluster.report", ofSeconds(5));

  /** Maximum number of pre-subscribed topics of other nodes, and of own topics reported to them. */
  public static final Setting<Integer> WARM_TOPICS = internal("cluster.warm-topics", 10_000);

  public static final Setting<Boolean> KEEP_WARM =
      flag(
          "cluster.keep-warm",
          true,
          "Subscribe to topics that clients of other nodes use, so that these can resume here.");

  /** Time for which cluster.keep-warm keeps a topic that no other node uses. */
  public static final Setting<Duration> WARM_LINGER = internal("cluster.warm-linger", ofMinutes(2));

  public static final Setting<Boolean> BALANCE_REDIRECT =
      flag(
          "balance.redirect",
          false,
          "Redirect clients that connect to a node above its share to a node with a"
              + " cluster.public-url, if they follow redirects.");

  /** Excess over the mean number of connections from which a node rebalances, in percent. */
  public static final Setting<Integer> BALANCE_TOLERANCE = internal("balance.tolerance", 20);

  /** Redirect cooldown: minimum time between two redirects of a client, and after its connect. */
  public static final Setting<Duration> BALANCE_COOLDOWN = internal("balance.rest", ofMinutes(3));

  public static final Setting<Integer> BALANCE_REBALANCE_RATE =
      integer(
          "balance.rebalance-rate",
          0,
          0,
          10_000_000,
          "Connected clients per minute that all nodes together redirect to nodes with fewer; 0:"
              + " none, except by sluice cluster rebalance.");

  /** Outage of the broker after which a node redirects its clients; 0: never. */
  public static final Setting<Duration> BALANCE_BROKER_LOSS_AFTER =
      internal("balance.broker-loss-after", ofSeconds(2));

  /** Timeout for the first discovery, and for each node's answer to a join request. */
  public static final Setting<Duration> JOIN_TIMEOUT =
      internal("cluster.join-timeout", ofSeconds(4));

  /** Interval at which partitions of a cluster search for each other; at most twice as long. */
  public static final Setting<Duration> MERGE_INTERVAL =
      internal("cluster.merge-interval", ofSeconds(10));

  /** Keys of this section, in the order of the documentation. */
  public static final List<Setting<?>> ALL =
      List.of(
          NAME,
          NODES,
          DNS,
          HOST,
          PORT,
          SECRET,
          SECRET_FILE,
          TLS_CERTIFICATE,
          TLS_KEY,
          TLS_CA,
          PUBLIC_URL,
          ADMIN_URL,
          KEEP_WARM,
          BALANCE_REDIRECT,
          BALANCE_REBALANCE_RATE);

  private ClusterSettings() {}
}
