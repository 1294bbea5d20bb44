package io.sluice.gateway.config;

import java.net.URI;
import java.util.List;
import java.util.Set;

/** Rules of the cluster and of rebalancing. Used once, by one thread. */
final class ClusterRules {
  private static final List<Setting<?>> CLUSTER_ONLY =
      List.of(
          ClusterSettings.DISCOVERY,
          ClusterSettings.NODES,
          ClusterSettings.DNS,
          ClusterSettings.HOST,
          ClusterSettings.PORT,
          ClusterSettings.SECRET,
          ClusterSettings.SECRET_FILE,
          ClusterSettings.TLS_CERTIFICATE,
          ClusterSettings.TLS_KEY,
          ClusterSettings.TLS_CA,
          ClusterSettings.TLS_RELOAD,
          ClusterSettings.PUBLIC_URL,
          ClusterSettings.ADMIN_URL,
          ClusterSettings.REPORT,
          ClusterSettings.WARM_TIMEOUT,
          ClusterSettings.WARM_TOPICS,
          ClusterSettings.KEEP_WARM,
          ClusterSettings.WARM_RATE,
          ClusterSettings.WARM_LINGER,
          ClusterSettings.BALANCE_REDIRECT,
          ClusterSettings.BALANCE_TOLERANCE,
          ClusterSettings.BALANCE_REST,
          ClusterSettings.BALANCE_SHED_RATE,
          ClusterSettings.BALANCE_BROKER_LOSS_AFTER);

  /** What a client's rest is counted in, at most. */
  private static final int MOST_PINGS = Short.MAX_VALUE - 2;

  private final ConfigFindings findings;
  private final Config config;

  ClusterRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    if (config.get(ClusterSettings.NAME).isEmpty()) {
      CLUSTER_ONLY.forEach(this::hasNoEffectAlone);
      return;
    }
    checkDiscovery();
    findings.oneOf(ClusterSettings.SECRET_FILE, ClusterSettings.SECRET);
    checkUrl(ClusterSettings.PUBLIC_URL, Set.of("ws", "wss"), "wss://gw-2.example.com/ws");
    checkUrl(ClusterSettings.ADMIN_URL, Set.of("http", "https"), "https://gw-2.example.com:9090");
    checkPorts();
    checkRest();
  }

  private void hasNoEffectAlone(Setting<?> setting) {
    findings.needless(setting, ClusterSettings.NAME.key(), "the name of a cluster");
  }

  private void checkDiscovery() {
    boolean dns = config.get(ClusterSettings.DISCOVERY).equals("dns");
    boolean named = !config.get(ClusterSettings.DNS).isEmpty();
    if (dns && !named) {
      findings.report(
          "is empty, but cluster.discovery dns needs it",
          "a name of which each address is a node",
          ClusterSettings.DNS,
          ClusterSettings.DISCOVERY);
    }
    if (dns) {
      findings.needless(ClusterSettings.NODES, "cluster.discovery static", "cluster.dns alone");
    } else {
      findings.needless(ClusterSettings.DNS, "cluster.discovery dns", "cluster.nodes alone");
      checkNodes();
    }
  }

  private void checkNodes() {
    if (config.get(ClusterSettings.NODES).isEmpty()) {
      findings.report(
          "is empty, and the node would find no other",
          "host:port of other nodes, or cluster.discovery: dns",
          ClusterSettings.NODES,
          ClusterSettings.NAME);
    }
  }

  private void checkRest() {
    long restMs = config.get(ClusterSettings.BALANCE_REST).toMillis();
    long pings = restMs / Math.max(1, config.get(TimeoutSettings.PING).toMillis());
    if (pings > MOST_PINGS) {
      findings.report(
          "is more than " + MOST_PINGS + " times timeouts.ping, by which it is counted",
          "a shorter rest, or a longer timeouts.ping",
          ClusterSettings.BALANCE_REST,
          TimeoutSettings.PING);
    }
  }

  private void checkUrl(Setting<String> setting, Set<String> schemes, String example) {
    String url = config.get(setting);
    if (!url.isEmpty() && !isUrl(url, schemes)) {
      findings.report(
          ValueText.quote(ServiceUrl.masked(url)) + " is no such URL",
          "such as " + example,
          setting);
    }
  }

  /** As clients and operators can use it: with a host, and nobody's password in it. */
  private static boolean isUrl(String text, Set<String> schemes) {
    try {
      URI uri = URI.create(text);
      return uri.getHost() != null
          && uri.getScheme() != null
          && schemes.contains(uri.getScheme())
          && uri.getRawUserInfo() == null
          && uri.getRawFragment() == null;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  private void checkPorts() {
    int port = config.get(ClusterSettings.PORT);
    for (Setting<Integer> other : List.of(ServerSettings.PORT, AdminSettings.PORT)) {
      if (config.get(other) == port) {
        findings.report(
            port + " is that of " + other.key() + ", too",
            "a port of its own",
            ClusterSettings.PORT,
            other);
      }
    }
  }
}
