package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.flag;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of the cluster and of the balance between its nodes. Constants only. */
public final class ClusterSettings {
  public static final Setting<String> NAME =
      text(
          "cluster.name",
          "",
          "Name of the cluster, the same on all its nodes: they tell each other who is there, how"
              + " loaded each is and who drains. Empty: the node knows no other.");
  public static final Setting<String> DISCOVERY =
      choice(
          "cluster.discovery",
          "static",
          List.of("static", "dns"),
          "How nodes find each other: static by cluster.nodes, dns by the addresses of cluster.dns.");
  public static final Setting<List<String>> NODES =
      list(
          "cluster.nodes",
          List.of(),
          "Where other nodes may be, host:port each, such as gw-2.example.com:7800; names are looked"
              + " up anew each time, and this node may be among them.");
  public static final Setting<String> DNS =
      text(
          "cluster.dns",
          "",
          "Name of which each address is a node, such as that of a headless service; all listen on"
              + " cluster.port.");
  public static final Setting<String> HOST =
      text(
          "cluster.host",
          "",
          "Address of this machine that other nodes reach; empty: the first that is not loopback.");
  public static final Setting<Integer> PORT =
      integer("cluster.port", 7800, 1, 65535, "Port for the other nodes, at cluster.host.");
  public static final Setting<String> SECRET =
      text(
          "cluster.secret",
          "",
          "What all nodes know and nobody else, 16 characters or more from a generator; nodes encrypt"
              + " with it. Without secret and certificate only loopback is allowed.");
  public static final Setting<String> SECRET_FILE =
      text("cluster.secret-file", "", "File whose one line is that secret, read at the start.");
  public static final Setting<String> TLS_CERTIFICATE =
      text(
          "cluster.tls.certificate",
          "",
          "Instead of a secret: PEM file with the certificate that this node shows to other nodes, its"
              + " chain behind it.");
  public static final Setting<String> TLS_KEY =
      text("cluster.tls.key", "", "PEM file with its private key, as server.tls.key.");
  public static final Setting<String> TLS_CA =
      text(
          "cluster.tls.ca",
          "",
          "PEM file with the authorities of nodes' certificates: whoever has one of them is a node.");
  public static final Setting<Duration> TLS_RELOAD =
      duration(
          "cluster.tls.reload",
          ofSeconds(10),
          ofMillis(10),
          ofHours(24),
          "How often the node looks whether files of cluster.tls have changed; if so, new connections"
              + " between nodes have what they hold now.");
  public static final Setting<String> PUBLIC_URL =
      text(
          "cluster.public-url",
          "",
          "Where clients reach this very node, such as wss://gw-2.example.com/ws, for other nodes that"
              + " send clients here; empty: no client is sent here by name.");
  public static final Setting<String> ADMIN_URL =
      text(
          "cluster.admin-url",
          "",
          "Where operators reach this node's admin port, such as https://gw-2.example.com:9090; empty:"
              + " it isn't told.");
  public static final Setting<Duration> REPORT =
      duration(
          "cluster.report",
          ofSeconds(5),
          ofMillis(50),
          ofMinutes(10),
          "How often other nodes are told this node's load, at most; what has hardly changed is not"
              + " told.");
  public static final Setting<Duration> WARM_TIMEOUT =
      duration(
          "cluster.warm-timeout",
          ofSeconds(30),
          ofMillis(100),
          ofMinutes(10),
          "How long a node that joins waits, before it is ready, for the topics that other nodes have"
              + " in use; as long again they stay without a subscriber.");
  public static final Setting<Integer> WARM_TOPICS =
      integer(
          "cluster.warm-topics",
          10_000,
          0,
          1_000_000,
          "Topics in use on other nodes that a node opens when it joins and keeps open while it runs,"
              + " and topics of its own that it reports to them, at most; 0: none.");
  public static final Setting<Boolean> KEEP_WARM =
      flag(
          "cluster.keep-warm",
          true,
          "Keep topics open that clients of other nodes use, so that clients that move here find a"
              + " log; each such topic has a consumer on every node.");
  public static final Setting<Integer> WARM_RATE =
      integer(
          "cluster.warm-rate",
          100,
          1,
          100_000,
          "Topics a second that cluster.keep-warm opens, and as many that it gives up, at most.");
  public static final Setting<Duration> WARM_LINGER =
      duration(
          "cluster.warm-linger",
          ofMinutes(2),
          ofMillis(0),
          ofHours(24),
          "How long cluster.keep-warm keeps a topic that no client of another node uses any more.");
  public static final Setting<Boolean> BALANCE_REDIRECT =
      flag(
          "balance.redirect",
          false,
          "Send clients that come to a node with more than its share to another one, if they"
              + " understand it and cluster.public-url says where that is.");
  public static final Setting<Integer> BALANCE_TOLERANCE =
      integer(
          "balance.tolerance",
          20,
          1,
          1_000,
          "Percent by which a node may have more clients than the mean of all nodes before it asks"
              + " any to move; of those that come it sends some elsewhere from half of it on.");
  public static final Setting<Duration> BALANCE_REST =
      duration(
          "balance.rest",
          ofMinutes(3),
          ofMillis(0),
          ofHours(24),
          "How long a client is left alone after it has come, and after it was asked to move, before"
              + " it is asked; counted in whole timeouts.ping, rounded up, and one more.");
  public static final Setting<Integer> BALANCE_SHED_RATE =
      integer(
          "balance.shed-rate",
          0,
          0,
          10_000_000,
          "Connected clients a minute that all nodes together ask to move to nodes with fewer; 0:"
              + " none, until an operator asks for it.");
  public static final Setting<Duration> BALANCE_BROKER_LOSS_AFTER =
      duration(
          "balance.broker-loss-after",
          ofSeconds(2),
          ofMillis(0),
          ofHours(24),
          "How long a node is without its broker before it redirects its clients to nodes that have"
              + " theirs, at the pace of drain.rate; 0: its clients wait.");

  /** Timeout of the first discovery, and of each node's answer to a join request. */
  public static final Setting<Duration> JOIN_TIMEOUT =
      internal("cluster.join-timeout", ofSeconds(4));

  /** Interval at which separated parts of a cluster look for each other; at most twice as long. */
  public static final Setting<Duration> MERGE_INTERVAL =
      internal("cluster.merge-interval", ofSeconds(10));

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          NAME,
          DISCOVERY,
          NODES,
          DNS,
          HOST,
          PORT,
          SECRET,
          SECRET_FILE,
          TLS_CERTIFICATE,
          TLS_KEY,
          TLS_CA,
          TLS_RELOAD,
          PUBLIC_URL,
          ADMIN_URL,
          REPORT,
          WARM_TIMEOUT,
          WARM_TOPICS,
          KEEP_WARM,
          WARM_RATE,
          WARM_LINGER,
          BALANCE_REDIRECT,
          BALANCE_TOLERANCE,
          BALANCE_REST,
          BALANCE_SHED_RATE,
          BALANCE_BROKER_LOSS_AFTER);

  private ClusterSettings() {}
}
