package io.sluice.gateway.membership;

import io.sluice.cluster.ClusterConfig;
import io.sluice.cluster.ClusterProblem;
import io.sluice.cluster.Node;
import io.sluice.cluster.PeerIdentity;
import io.sluice.cluster.Seeds;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LineFile;
import io.sluice.gateway.config.NodeTls;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.config.UnusableTls;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the configuration says of this node as a member. Immutable, for any thread.
 *
 * @param self as it begins
 * @param cluster null if the node is to be alone
 */
public record MemberConfig(Node self, ClusterConfig cluster) {
  /**
   * Reads the configuration, and the files that it names.
   *
   * @param name the node's
   * @throws UnusableCluster with a message that names the settings
   */
  public static MemberConfig read(Config config, String name, String version)
      throws UnusableCluster {
    Node self =
        Node.starting(
                name,
                config.get(Settings.CLUSTER_PUBLIC_URL),
                config.get(Settings.CLUSTER_ADMIN_URL),
                version)
            .withCapacity(config.get(Settings.LIMIT_CONNECTIONS));
    if (config.get(Settings.CLUSTER_NAME).isEmpty()) {
      return new MemberConfig(self, null);
    }
    ClusterConfig cluster = cluster(config);
    List<ClusterProblem> problems = cluster.problems(self);
    if (!problems.isEmpty()) {
      String what = problems.stream().map(Object::toString).collect(Collectors.joining(", "));
      throw new UnusableCluster(what, null);
    }
    return new MemberConfig(self, cluster);
  }

  /** What the cluster finds wrong with the values; nothing of files that can't be read. */
  public static List<ClusterProblem> problems(Config config, String name) {
    if (config.get(Settings.CLUSTER_NAME).isEmpty()) {
      return List.of();
    }
    try {
      String publicUrl = config.get(Settings.CLUSTER_PUBLIC_URL);
      String adminUrl = config.get(Settings.CLUSTER_ADMIN_URL);
      return cluster(config).problems(Node.starting(name, publicUrl, adminUrl, ""));
    } catch (UnusableCluster known) {
      return List.of(); // the settings' own rules tell of it
    }
  }

  private static ClusterConfig cluster(Config config) throws UnusableCluster {
    Duration report = config.get(Settings.CLUSTER_REPORT);
    Duration timeout = config.get(Settings.CLUSTER_WARM_TIMEOUT);
    return new ClusterConfig(
        config.get(Settings.CLUSTER_NAME),
        config.get(Settings.CLUSTER_HOST),
        config.get(Settings.CLUSTER_PORT),
        seeds(config),
        identity(config),
        report,
        timeout,
        config.get(Settings.CLUSTER_WARM_TOPICS));
  }

  private static Seeds seeds(Config config) {
    return config.get(Settings.CLUSTER_DISCOVERY).equals("dns")
        ? new Seeds.Dns(config.get(Settings.CLUSTER_DNS), config.get(Settings.CLUSTER_PORT))
        : new Seeds.Listed(config.get(Settings.CLUSTER_NODES));
  }

  /**
   * By what nodes know this one: what files hold now.
   *
   * @throws UnusableCluster with a message that names the settings
   */
  static PeerIdentity identity(Config config) throws UnusableCluster {
    try {
      Optional<NodeTls> tls = NodeTls.read(config);
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
    String file = config.get(Settings.CLUSTER_SECRET_FILE);
    return file.isEmpty()
        ? config.get(Settings.CLUSTER_SECRET)
        : new LineFile(Settings.CLUSTER_SECRET_FILE, file).read();
  }
}
