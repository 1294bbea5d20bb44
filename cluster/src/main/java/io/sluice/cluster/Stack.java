package io.sluice.cluster;

import java.net.InetAddress;
import java.util.List;
import org.jgroups.Global;
import org.jgroups.JChannel;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;
import org.jgroups.util.DefaultThreadFactory;
import org.jgroups.util.SocketFactory;

/**
 * JGroups as we use it: membership, failure detection and small messages over one TCP port, and
 * nothing that we don't need. No state, for any thread.
 */
final class Stack {
  /**
   * Time limits of failure detection. Immutable, for any thread.
   *
   * @param heartbeatMs each node says that it lives, to each other one, unless it says something
   *     else
   * @param silenceMs after which a node is taken for dead whose connections still stand
   * @param verifyMs it is asked once more, and has this long for an answer
   * @param mergeMs parts that were apart look for each other that often, up to twice as long
   * @param joinMs the first search for others, and each wait for the answer of one
   */
  record Timing(long heartbeatMs, long silenceMs, long verifyMs, long mergeMs, long joinMs) {
    /** Returns the limits of a configuration; failure detection has constant ones. */
    static Timing of(ClusterConfig config) {
      return new Timing(5_000, 20_000, 1_500, config.merge().toMillis(), config.join().toMillis());
    }
  }

  private static final int MOST_THREADS = 16;

  /** Longer than any message of ours with its headers, and than a view of all nodes. */
  private static final int MOST_BYTES = 1024 * 1024;

  private static final int STABLE_GOSSIP_MS = 60_000;
  private static final int MERGE_SPREAD = 2;

  static {
    // Nothing of ours is serialized by Java; nor shall what another node sends be.
    System.setProperty(Global.DESERIALIZATION_FILTER, "!*");
  }

  private Stack() {}

  /** Not connected yet, and without the sockets that JGroups opens for diagnosis. */
  static JChannel channel(
      InetAddress address,
      ClusterConfig config,
      Timing timing,
      SocketFactory sockets,
      Incidents incidents,
      Bound bound)
      throws Exception {
    JChannel channel = new JChannel(protocols(address, config, timing, sockets, incidents, bound));
    channel.getProtocolStack().getTransport().getDiagnosticsHandler().setEnabled(false);
    channel.setDiscardOwnMessages(true);
    return channel;
  }

  /** From the transport upwards. */
  private static List<Protocol> protocols(
      InetAddress address,
      ClusterConfig config,
      Timing timing,
      SocketFactory sockets,
      Incidents incidents,
      Bound bound) {
    return List.of(
        transport(address, config.port(), sockets),
        bound,
        new SeedDiscovery(config.seeds(), incidents),
        merge(timing),
        detection(timing),
        new VERIFY_SUSPECT2().setTimeout(timing.verifyMs()),
        new NAKACK2().useMcastXmit(false),
        new UNICAST3(),
        new STABLE().setDesiredAverageGossip(STABLE_GOSSIP_MS),
        membership(timing));
  }

  /**
   * A connection that ends without a farewell is a suspicion. So a crash is noticed at once without
   * FD_SOCK2, whose port of its own can't be encrypted.
   */
  private static TCP transport(InetAddress address, int port, SocketFactory sockets) {
    TCP tcp = new TCP();
    tcp.setBindAddress(address).setBindPort(port).setPortRange(0);
    tcp.setSocketFactory(sockets);
    tcp.setThreadFactory(new DefaultThreadFactory("sluice-jgroups", true, true));
    tcp.getThreadPool().setMaxThreads(MOST_THREADS);
    tcp.enableSuspectEvents(true).logDetails(false).setMaxLength(MOST_BYTES);
    return tcp.logAcceptError(false);
  }

  private static MERGE3 merge(Timing timing) {
    return new MERGE3()
        .setMinInterval(timing.mergeMs())
        .setMaxInterval(timing.mergeMs() * MERGE_SPREAD);
  }

  private static FD_ALL3 detection(Timing timing) {
    return new FD_ALL3().setTimeout(timing.silenceMs()).setInterval(timing.heartbeatMs());
  }

  private static GMS membership(Timing timing) {
    return new GMS()
        .setJoinTimeout(timing.joinMs())
        .setMaxJoinAttempts(3)
        .printLocalAddress(false)
        .logViewWarnings(false);
  }

  /** Tells that the transport below it has its port. */
  static final class Bound extends Protocol {
    private final Runnable listener;

    Bound(Runnable listener) {
      this.listener = listener;
    }

    @Override
    public void start() {
      listener.run();
    }
  }
}
