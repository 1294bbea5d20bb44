package io.sluice.gateway.config;

import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * What must hold of the cluster and of how it evens out its clients. Used once, by one thread. What
 * only the cluster itself knows of its values, it says when the node starts.
 */
final class ClusterRules {
  private static final List<Setting<?>> CLUSTER_ONLY =
      List.of(
          Settings.CLUSTER_DISCOVERY,
          Settings.CLUSTER_NODES,
          Settings.CLUSTER_DNS,
          Settings.CLUSTER_HOST,
          Settings.CLUSTER_PORT,
          Settings.CLUSTER_SECRET,
          Settings.CLUSTER_SECRET_FILE,
          Settings.CLUSTER_TLS_CERTIFICATE,
          Settings.CLUSTER_TLS_KEY,
          Settings.CLUSTER_TLS_CA,
          Settings.CLUSTER_TLS_RELOAD,
          Settings.CLUSTER_PUBLIC_URL,
          Settings.CLUSTER_ADMIN_URL,
          Settings.CLUSTER_REPORT,
          Settings.CLUSTER_WARM_TIMEOUT,
          Settings.CLUSTER_WARM_TOPICS,
          Settings.CLUSTER_KEEP_WARM,
          Settings.CLUSTER_WARM_RATE,
          Settings.CLUSTER_WARM_LINGER,
          Settings.BALANCE_REDIRECT,
          Settings.BALANCE_TOLERANCE,
          Settings.BALANCE_REST,
          Settings.BALANCE_SHED_RATE,
          Settings.BALANCE_BROKER_LOSS_AFTER);

  /** What a client's rest is counted in, at most. */
  private static final int MOST_PINGS = Short.MAX_VALUE - 2;

  private final Findings findings;
  private final Config config;

  ClusterRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    if (config.get(Settings.CLUSTER_NAME).isEmpty()) {
      CLUSTER_ONLY.forEach(this::hasNoEffectAlone);
      return;
    }
    checkDiscovery();
    checkPeers();
    checkUrl(Settings.CLUSTER_PUBLIC_URL, Set.of("ws", "wss"), "wss://gw-2.example.com/ws");
    checkUrl(Settings.CLUSTER_ADMIN_URL, Set.of("http", "https"), "https://gw-2.example.com:9090");
    checkPorts();
    checkRest();
  }

  private void hasNoEffectAlone(Setting<?> setting) {
    findings.needless(setting, Settings.CLUSTER_NAME.key(), "the name of a cluster");
  }

  private void checkDiscovery() {
    boolean dns = config.get(Settings.CLUSTER_DISCOVERY).equals("dns");
    boolean named = !config.get(Settings.CLUSTER_DNS).isEmpty();
    if (dns && !named) {
      findings.report(
          "is empty, but cluster.discovery dns needs it",
          "a name of which each address is a node",
          Settings.CLUSTER_DNS,
          Settings.CLUSTER_DISCOVERY);
    }
    if (dns) {
      findings.needless(Settings.CLUSTER_NODES, "cluster.discovery static", "cluster.dns alone");
    } else {
      findings.needless(Settings.CLUSTER_DNS, "cluster.discovery dns", "cluster.nodes alone");
      checkNodes();
    }
  }

  private void checkNodes() {
    if (config.get(Settings.CLUSTER_NODES).isEmpty()) {
      findings.report(
          "is empty, and the node would find no other",
          "host:port of other nodes, or cluster.discovery: dns",
          Settings.CLUSTER_NODES,
          Settings.CLUSTER_NAME);
    }
  }

  private void checkPeers() {
    findings.oneOf(Settings.CLUSTER_SECRET_FILE, Settings.CLUSTER_SECRET);
    boolean secret =
        !config.get(Settings.CLUSTER_SECRET).isEmpty()
            || !config.get(Settings.CLUSTER_SECRET_FILE).isEmpty();
    try {
      boolean certified = NodeTls.read(config).isPresent();
      if (!certified) {
        findings.needless(
            Settings.CLUSTER_TLS_RELOAD, "a certificate", Settings.CLUSTER_TLS_CERTIFICATE.key());
      }
      if (certified && secret) {
        findings.report(
            "nodes know each other by a secret already",
            "a secret or a certificate",
            Settings.CLUSTER_TLS_CERTIFICATE);
      }
    } catch (UnusableTls e) {
      findings.report(e.what(), "", e.setting());
    }
  }

  private void checkRest() {
    long restMs = config.get(Settings.BALANCE_REST).toMillis();
    long pings = restMs / Math.max(1, config.get(Settings.TIMEOUT_PING).toMillis());
    if (pings > MOST_PINGS) {
      findings.report(
          "is more than " + MOST_PINGS + " times timeouts.ping, by which it is counted",
          "a shorter rest, or a longer timeouts.ping",
          Settings.BALANCE_REST,
          Settings.TIMEOUT_PING);
    }
  }

  private void checkUrl(Setting<String> setting, Set<String> schemes, String example) {
    String url = config.get(setting);
    if (!url.isEmpty() && !isUrl(url, schemes)) {
      findings.report(
          ValueText.quote(BrokerUrl.masked(url)) + " is no such URL",
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
    int port = config.get(Settings.CLUSTER_PORT);
    for (Setting<Integer> other : List.of(Settings.SERVER_PORT, Settings.ADMIN_PORT)) {
      if (config.get(other) == port) {
        findings.report(
            port + " is that of " + other.key() + ", too",
            "a port of its own",
            Settings.CLUSTER_PORT,
            other);
      }
    }
  }
}
