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
 * Protocol stack of JGroups: membership, failure detection and small messages over one TCP port.
 * Stateless, for any thread.
 */
final class Stack {
  /**
   * Timing of failure detection, merge and join. Immutable, for any thread.
   *
   * @param heartbeatMs interval of heartbeats between nodes without other traffic
   * @param suspectMs time without traffic after which a node with open connections is suspected
   * @param verifyMs timeout of the verification of a suspected node
   * @param mergeMs minimum interval at which partitions search for each other; the maximum is twice
   *     as long
   * @param joinMs timeout of the first discovery, and of each join request
   */
  record Timing(long heartbeatMs, long suspectMs, long verifyMs, long mergeMs, long joinMs) {
    /** Returns the limits of a configuration; failure detection has constant ones. */
    static Timing of(ClusterConfig config) {
      return new Timing(5_000, 20_000, 1_500, config.merge().toMillis(), config.join().toMillis());
    }
  }

  private static final int MAX_THREADS = 16;

  /** Larger than any message with its headers, and than a view of all nodes. */
  private static final int MAX_BYTES = 1024 * 1024;

  private static final int STABLE_GOSSIP_MS = 60_000;
  private static final int MERGE_SPREAD = 2;

  static {
    // Java serialization is not used, and is rejected in messages of other nodes.
    System.setProperty(Global.DESERIALIZATION_FILTER, "!*");
  }

  private Stack() {}

  /** Creates a channel that is not connected yet, without JGroups' diagnostic sockets. */
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

  /** Returns the protocols from the transport upwards. */
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
   * Returns the transport. A connection that closes without a leave message raises a suspicion.
   * Therefore a crash is detected at once without FD_SOCK2, whose separate port cannot be
   * encrypted.
   */
  private static TCP transport(InetAddress address, int port, SocketFactory sockets) {
    TCP tcp = new TCP();
    tcp.setBindAddress(address).setBindPort(port).setPortRange(0);
    tcp.setSocketFactory(sockets);
    tcp.setThreadFactory(new DefaultThreadFactory("sluice-jgroups", true, true));
    tcp.getThreadPool().setMaxThreads(MAX_THREADS);
    tcp.enableSuspectEvents(true).logDetails(false).setMaxLength(MAX_BYTES);
    return tcp.logAcceptError(false);
  }

  private static MERGE3 merge(Timing timing) {
    return new MERGE3()
        .setMinInterval(timing.mergeMs())
        .setMaxInterval(timing.mergeMs() * MERGE_SPREAD);
  }

  private static FD_ALL3 detection(Timing timing) {
    return new FD_ALL3().setTimeout(timing.suspectMs()).setInterval(timing.heartbeatMs());
  }

  private static GMS membership(Timing timing) {
    return new GMS()
        .setJoinTimeout(timing.joinMs())
        .setMaxJoinAttempts(3)
        .printLocalAddress(false)
        .logViewWarnings(false);
  }

  /** Protocol that notifies a listener once the transport below it is bound to its port. */
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
