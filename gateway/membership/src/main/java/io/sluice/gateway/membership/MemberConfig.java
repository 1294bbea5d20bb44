package io.sluice.gateway.membership;

import io.sluice.cluster.ClusterConfig;
import io.sluice.cluster.ClusterProblem;
import io.sluice.cluster.Node;
import io.sluice.cluster.Seeds;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.SettingFile;
import io.sluice.gateway.tls.KeyPairOptions;
import io.sluice.gateway.tls.NodeTls;
import io.sluice.gateway.tls.UnusableTls;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Configuration of this node as a member of a cluster. Immutable, for any thread.
 *
 * @param self initial state of this node
 * @param cluster null without a cluster
 * @param options of the membership
 */
public record MemberConfig(Node self, ClusterConfig cluster, MemberOptions options) {
  /** Timeout of a joining node for the topics in use on other nodes. */
  private static final Duration WARM_TIMEOUT = Duration.ofSeconds(30);

  /**
   * Reads the configuration and the files that it refers to.
   *
   * @param name of the node
   * @throws UnusableCluster with a message that names the settings
   */
  public static MemberConfig read(Config config, String name, String version)
      throws UnusableCluster {
    Node self =
        Node.starting(
                name,
                config.get(ClusterSettings.PUBLIC_URL),
                config.get(ClusterSettings.ADMIN_URL),
                version)
            .withCapacity(config.get(LimitSettings.CONNECTIONS));
    if (config.get(ClusterSettings.NAME).isEmpty()) {
      return new MemberConfig(self, null, MemberOptions.of(config));
    }
    ClusterConfig cluster = cluster(config);
    List<ClusterProblem> problems = cluster.problems(self);
    if (!problems.isEmpty()) {
      String what = problems.stream().map(Object::toString).collect(Collectors.joining(", "));
      throw new UnusableCluster(what, null);
    }
    return new MemberConfig(self, cluster, MemberOptions.of(config));
  }

  /** Returns the invalid values; unreadable files are not reported. */
  public static List<ClusterProblem> problems(Config config, String name) {
    if (config.get(ClusterSettings.NAME).isEmpty()) {
      return List.of();
    }
    try {
      String publicUrl = config.get(ClusterSettings.PUBLIC_URL);
      String adminUrl = config.get(ClusterSettings.ADMIN_URL);
      return cluster(config).problems(Node.starting(name, publicUrl, adminUrl, ""));
    } catch (UnusableCluster known) {
      return List.of(); // reported by the rules of the settings
    }
  }

  private static ClusterConfig cluster(Config config) throws UnusableCluster {
    return new ClusterConfig(
        config.get(ClusterSettings.NAME),
        config.get(ClusterSettings.HOST),
        config.get(ClusterSettings.PORT),
        seeds(config),
        identity(config),
        config.get(ClusterSettings.REPORT),
        WARM_TIMEOUT,
        config.get(ClusterSettings.WARM_TOPICS),
        config.get(ClusterSettings.JOIN_TIMEOUT),
        config.get(ClusterSettings.MERGE_INTERVAL));
  }

  private static Seeds seeds(Config config) {
    String dns = config.get(ClusterSettings.DNS);
    return dns.isEmpty()
        ? new Seeds.Listed(config.get(ClusterSettings.NODES))
        : new Seeds.Dns(dns, config.get(ClusterSettings.PORT));
  }

  /**
   * Returns the identity of this node, read from its files.
   *
   * @throws UnusableCluster with a message that names the settings
   */
  static PeerIdentity identity(Config config) throws UnusableCluster {
    try {
      Optional<NodeTls> tls =
          NodeTls.read(KeyPairOptions.ofNodes(config), config.get(ClusterSettings.TLS_CA));
      if (tls.isPresent()) {
        return new PeerIdentity.Certified(
            tls.get().identity().key(), tls.get().identity().chain(), tls.get().authorities());
      }
      String secret = secret(config);
      return secret.isEmpty() ? new PeerIdentity.Open() : new PeerIdentity.Secret(secret);
    } catch (UnusableTls | IOException e) {
      throw new UnusableCluster(e.getMessage(), e);
    }
  }

  private static String secret(Config config) throws IOException {
    String file = config.get(ClusterSettings.SECRET_FILE);
    return file.isEmpty()
        ? config.get(ClusterSettings.SECRET)
        : new SettingFile(ClusterSettings.SECRET_FILE, file).read();
  }
}
