package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.util.Util;

/**
 * Configuration of discovery, identity and limits of a cluster. Immutable, for any thread.
 *
 * @param name of the cluster: nodes of other clusters are rejected
 * @param host address at which other nodes reach this one; empty for the first that is not loopback
 * @param port for other nodes, at the same address
 * @param seeds addresses of other nodes; may include this one
 * @param identity by which nodes authenticate each other
 * @param reportInterval minimum time between two reports of figures
 * @param topicsTimeout timeout of {@link Cluster#activeTopics}
 * @param maxTopics largest number of names that a node sends or receives
 * @param join timeout of the first discovery, and of a node's response to a join request
 * @param merge minimum interval between searches for separated parts; the maximum is twice as long
 */
public record ClusterConfig(
    String name,
    String host,
    int port,
    Seeds seeds,
    PeerIdentity identity,
    Duration reportInterval,
    Duration topicsTimeout,
    int maxTopics,
    Duration join,
    Duration merge) {
  /** Largest number of seeds that are contacted, and of other nodes whose status is stored. */
  static final int MAX_NODES = 256;

  private static final String REACHABLE = "an address of this machine that other nodes reach";

  // No setting configures these values.
  public ClusterConfig {
    if (reportInterval.toMillis() < 1 || topicsTimeout.toMillis() < 1 || maxTopics < 0) {
      throw new IllegalArgumentException(
          "reportInterval %s and topicsTimeout %s must be 1 ms or more, maxTopics %d 0 or more"
              .formatted(reportInterval, topicsTimeout, maxTopics));
    }
  }

  /** Returns the same configuration with another identity. */
  public ClusterConfig with(PeerIdentity identity) {
    return new ClusterConfig(
        name, host, port, seeds, identity, reportInterval, topicsTimeout, maxTopics, join, merge);
  }

  /**
   * Returns the problems of this configuration and of the node's own values; empty if there are
   * none.
   */
  public List<ClusterProblem> problems(Node self) {
    List<ClusterProblem> problems = new ArrayList<>();
    checkText("node.name", self.id(), 1, Status.MAX_NAME_BYTES, problems);
    checkText("cluster.name", name, 1, Status.MAX_NAME_BYTES, problems);
    checkText("cluster.public-url", self.publicUrl(), 0, Status.MAX_URL_BYTES, problems);
    checkText("cluster.admin-url", self.adminUrl(), 0, Status.MAX_URL_BYTES, problems);
    checkSeeds(problems);
    checkPeers(problems);
    checkPort(problems);
    return List.copyOf(problems);
  }

  private static void checkText(
      String key, String text, int min, int max, List<ClusterProblem> problems) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < min || bytes > max) {
      String expected = min + " to " + max + " bytes in UTF-8";
      problems.add(new ClusterProblem(key, "has " + bytes + " bytes", expected));
    }
  }

  private void checkSeeds(List<ClusterProblem> problems) {
    if (seeds instanceof Seeds.Listed listed && listed.problem() != null) {
      problems.add(
          new ClusterProblem("cluster.nodes", listed.problem(), "such as node-2.example.com:7800"));
    }
    if (seeds instanceof Seeds.Dns dns && dns.name().isBlank()) {
      problems.add(new ClusterProblem("cluster.dns", "is empty", "a name of all nodes"));
    }
  }

  private void checkPeers(List<ClusterProblem> problems) {
    if (identity instanceof PeerIdentity.Secret secret
        && secret.text().length() < PeerIdentity.Secret.MIN_CHARACTERS) {
      String expected = PeerIdentity.Secret.MIN_CHARACTERS + " or more, from a generator";
      problems.add(new ClusterProblem("cluster.secret", "is too short to be safe", expected));
    }
    try {
      checkAddress(address(), problems);
    } catch (UnknownHostException e) {
      problems.add(new ClusterProblem("cluster.host", host + " cannot be resolved", REACHABLE));
    }
  }

  private void checkAddress(InetAddress address, List<ClusterProblem> problems) {
    if (address.isAnyLocalAddress()) {
      problems.add(
          new ClusterProblem("cluster.host", host + " is not a single address", REACHABLE));
    } else if (identity instanceof PeerIdentity.Open && !address.isLoopbackAddress()) {
      problems.add(
          new ClusterProblem(
              "cluster.secret",
              "is missing, and " + address.getHostAddress() + " is reachable from other machines",
              "a secret or cluster.tls.certificate, or a loopback address as cluster.host"));
    }
  }

  private void checkPort(List<ClusterProblem> problems) {
    if (port < 1 || port > 65535) {
      problems.add(new ClusterProblem("cluster.port", "is " + port, "1 to 65535"));
    }
  }

  /** Returns the address at which this node listens and is announced. */
  InetAddress address() throws UnknownHostException {
    if (!host.isEmpty()) {
      return InetAddress.getByName(host);
    }
    try {
      InetAddress address = Util.getNonLoopbackAddress();
      return address == null ? InetAddress.getLoopbackAddress() : address;
    } catch (SocketException e) {
      UnknownHostException unknown = new UnknownHostException("no network interface");
      unknown.initCause(e);
      throw unknown;
    }
  }
}
