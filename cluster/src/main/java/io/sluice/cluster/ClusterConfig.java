package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.util.Util;

/**
 * How a node finds and knows the others. Immutable, for any thread.
 *
 * @param name of the cluster: nodes of another one are not let in
 * @param host the address that the others reach this node at; empty for the first one that is not
 *     loopback
 * @param port for nodes only, at the same address
 * @param seeds where other nodes may be; this one may be among them
 * @param identity by what nodes know each other
 * @param report the least time between two reports of figures
 * @param topicsTimeout how long {@link Cluster#activeTopics} waits
 * @param topics names that a node tells or takes, at most
 * @param join timeout of the first discovery, and of each node's answer to a join request
 * @param merge interval at which separated parts look for each other; at most twice as long
 */
public record ClusterConfig(
    String name,
    String host,
    int port,
    Seeds seeds,
    PeerIdentity identity,
    Duration report,
    Duration topicsTimeout,
    int topics,
    Duration join,
    Duration merge) {
  /** More than that are not looked for. */
  static final int MOST_NODES = 256;

  private static final String REACHABLE = "an address of this machine that other nodes reach";

  /** The same, but for what the node shows to others. */
  public ClusterConfig with(PeerIdentity identity) {
    return new ClusterConfig(
        name, host, port, seeds, identity, report, topicsTimeout, topics, join, merge);
  }

  /** What is wrong with it, and with what the node says of itself; empty if nothing is. */
  public List<ClusterProblem> problems(Node self) {
    List<ClusterProblem> problems = new ArrayList<>();
    checkText("node.name", self.id(), 1, MessageCodec.MOST_NAME_BYTES, problems);
    checkText("cluster.name", name, 1, MessageCodec.MOST_NAME_BYTES, problems);
    checkText("cluster.public-url", self.publicUrl(), 0, MessageCodec.MOST_URL_BYTES, problems);
    checkText("cluster.admin-url", self.adminUrl(), 0, MessageCodec.MOST_URL_BYTES, problems);
    checkSeeds(problems);
    checkPeers(problems);
    checkNumbers(problems);
    return List.copyOf(problems);
  }

  private static void checkText(
      String key, String text, int least, int most, List<ClusterProblem> problems) {
    int bytes = MessageCodec.size(text);
    if (bytes < least || bytes > most) {
      String expected = least + " to " + most + " bytes in UTF-8";
      problems.add(new ClusterProblem(key, "has " + bytes + " bytes", expected));
    }
  }

  private void checkSeeds(List<ClusterProblem> problems) {
    if (seeds instanceof Seeds.Listed listed && listed.trouble() != null) {
      problems.add(
          new ClusterProblem("cluster.nodes", listed.trouble(), "such as node-2.example.com:7800"));
    }
    if (seeds instanceof Seeds.Dns dns && dns.name().isBlank()) {
      problems.add(new ClusterProblem("cluster.dns", "is empty", "a name of all nodes"));
    }
  }

  private void checkPeers(List<ClusterProblem> problems) {
    if (identity instanceof PeerIdentity.Secret secret
        && secret.text().length() < PeerIdentity.Secret.LEAST_CHARACTERS) {
      String expected = PeerIdentity.Secret.LEAST_CHARACTERS + " or more, from a generator";
      problems.add(new ClusterProblem("cluster.secret", "is too short to be safe", expected));
    }
    try {
      checkAddress(address(), problems);
    } catch (UnknownHostException e) {
      problems.add(new ClusterProblem("cluster.host", host + " is not known", REACHABLE));
    }
  }

  private void checkAddress(InetAddress address, List<ClusterProblem> problems) {
    if (address.isAnyLocalAddress()) {
      problems.add(new ClusterProblem("cluster.host", host + " is not one address", REACHABLE));
    } else if (identity instanceof PeerIdentity.Open && !address.isLoopbackAddress()) {
      problems.add(
          new ClusterProblem(
              "cluster.secret",
              "is missing, and other machines reach " + address.getHostAddress(),
              "a secret or cluster.tls.certificate, or a loopback address as cluster.host"));
    }
  }

  private void checkNumbers(List<ClusterProblem> problems) {
    if (port < 1 || port > 65535) {
      problems.add(new ClusterProblem("cluster.port", "is " + port, "1 to 65535"));
    }
    if (report.toMillis() < 1) {
      problems.add(new ClusterProblem("cluster.report", "is " + report, "1ms or more"));
    }
    if (topicsTimeout.toMillis() < 1) {
      problems.add(
          new ClusterProblem("cluster.warm-timeout", "is " + topicsTimeout, "1ms or more"));
    }
    if (topics < 0) {
      problems.add(new ClusterProblem("cluster.warm-topics", "is " + topics, "0 or more"));
    }
  }

  /** Where this node listens, and what the others are told. */
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
