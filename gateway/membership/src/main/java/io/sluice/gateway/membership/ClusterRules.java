package io.sluice.gateway.membership;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.ValueText;
import java.net.URI;
import java.util.List;

/**
 * Validation rules for the settings of the cluster and of its load balancing. Used once, by one
 * thread.
 */
public final class ClusterRules {
  private static final List<Setting<?>> CLUSTER_ONLY =
      List.of(
          ClusterSettings.NODES,
          ClusterSettings.DNS,
          ClusterSettings.HOST,
          ClusterSettings.PORT,
          ClusterSettings.SECRET,
          ClusterSettings.SECRET_FILE,
          ClusterSettings.TLS_CERTIFICATE,
          ClusterSettings.TLS_KEY,
          ClusterSettings.TLS_CA,
          ClusterSettings.PUBLIC_URL,
          ClusterSettings.ADMIN_URL,
          AdminSettings.TLS_CA,
          ClusterSettings.KEEP_WARM,
          ClusterSettings.BALANCE_REDIRECT,
          ClusterSettings.BALANCE_REBALANCE_RATE);

  private final ConfigFindings findings;
  private final Config config;

  private ClusterRules(ConfigFindings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  /** Reports all violations of the rules. */
  public static void check(ConfigFindings findings) {
    new ClusterRules(findings).check();
  }

  private void check() {
    if (config.get(ClusterSettings.NAME).isEmpty()) {
      CLUSTER_ONLY.forEach(this::reportNoEffect);
      return;
    }
    checkDiscovery();
    findings.checkFileOrValue(ClusterSettings.SECRET_FILE, ClusterSettings.SECRET);
    checkUrl(ClusterSettings.PUBLIC_URL, List.of("ws", "wss"), "wss://gw-2.example.com/ws");
    checkUrl(ClusterSettings.ADMIN_URL, List.of("http", "https"), "https://gw-2.example.com:9090");
    checkPorts();
  }

  private void reportNoEffect(Setting<?> setting) {
    findings.reportNoEffect(setting, ClusterSettings.NAME, "the name of a cluster");
  }

  private void checkDiscovery() {
    boolean listed = !config.get(ClusterSettings.NODES).isEmpty();
    boolean named = !config.get(ClusterSettings.DNS).isEmpty();
    if (listed && named) {
      findings.report(
          "is set together with cluster.dns",
          "one of the two",
          ClusterSettings.NODES,
          ClusterSettings.DNS);
    }
    if (!listed && !named) {
      findings.report(
          "is empty, so the node cannot discover other nodes",
          "host:port of other nodes, or cluster.dns",
          ClusterSettings.NODES,
          ClusterSettings.NAME);
    }
  }

  private void checkUrl(Setting<String> setting, List<String> schemes, String example) {
    String url = config.get(setting);
    if (!url.isEmpty() && !isUrl(url, schemes)) {
      findings.report(
          ValueText.quote(ServiceUrl.masked(url))
              + " is not a "
              + String.join(" or ", schemes)
              + " URL without user info and fragment",
          "a URL such as " + example,
          setting);
    }
  }

  /** Returns whether a URL has an allowed scheme and a host, but no user info and no fragment. */
  private static boolean isUrl(String text, List<String> schemes) {
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
            port + " is also the value of " + other.key(),
            "a different port",
            ClusterSettings.PORT,
            other);
      }
    }
  }
}
