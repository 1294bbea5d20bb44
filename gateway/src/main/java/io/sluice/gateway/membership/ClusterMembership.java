package io.sluice.gateway.membership;

import io.sluice.cluster.Cluster;
import io.sluice.cluster.ClusterCounts;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.cluster.Standalone;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.metrics.ClusterFigures;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of this node as announced to its cluster, and its view of the other nodes. Also exists
 * while the node is in no cluster. Thread-safe; only {@link #close} blocks.
 */
final class ClusterMembership implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterMembership.class);

  private final LoadMeter loads;
  private final BooleanSupplier live;
  private final IntSupplier losses;
  private volatile Cluster cluster;

  /** So that event loops wait for no lock; its load is not looked at. */
  private volatile Node self;

  private final long settleNs;
  private final LongSupplier nanos;

  /** Whether it has been ready once; so that event loops wait for no lock. */
  private volatile boolean served;

  private boolean ready;
  private boolean takingOver;
  private boolean hasBroker;
  private boolean hadBroker;

  /** Losses of the broker after which it was seen again. */
  private int knownLosses;

  /** From when on no log is too young. */
  private long settledNs;

  private boolean draining;
  private boolean closed;

  /**
   * @param self as it begins
   * @param live whether the broker is there: without it no client should be sent here
   * @param losses how often it was lost, which is mostly over before anybody looks
   * @param settle how old logs have to be before they trust what clients of other nodes say
   */
  ClusterMembership(
      Node self, LoadMeter loads, BooleanSupplier live, IntSupplier losses, Duration settle) {
    this(self, loads, live, losses, settle, System::nanoTime);
  }

  ClusterMembership(
      Node self,
      LoadMeter loads,
      BooleanSupplier live,
      IntSupplier losses,
      Duration settle,
      LongSupplier nanos) {
    this.cluster = new Standalone(self);
    this.self = self;
    this.loads = loads;
    this.live = live;
    this.losses = losses;
    this.settleNs = settle.toNanos();
    this.nanos = nanos;
    this.settledNs = nanos.getAsLong();
  }

  /** From now on this is the cluster, until both are closed. */
  void enter(Cluster entered) {
    synchronized (this) {
      if (!closed) {
        cluster = entered;
        self = entered.self();
        takingOver = true; // until the others have said what they have in use
        report();
        announce();
        return;
      }
    }
    entered.close();
  }

  /** Shows another certificate to others from now on; see {@link Cluster#renew}. */
  void renew(PeerIdentity.Certified identity) throws GeneralSecurityException {
    cluster.renew(identity);
  }

  /** It waits for nothing more that clients need of it; returns whether it still did. */
  synchronized boolean onReady() {
    boolean waited = !ready;
    ready = true;
    announce();
    return waited;
  }

  /** It opens topics of the others from now on: no client of theirs should be sent here. */
  synchronized void onTakingOver() {
    takingOver = true;
    announce();
  }

  /** So many of them stand now, and their logs are young. */
  synchronized void onTakenOver(int standing) {
    takingOver = false;
    ready = true;
    if (standing > 0) {
      settle();
    }
    announce();
  }

  private void settle() {
    settledNs = nanos.getAsLong() + settleNs;
  }

  /** Whether it has what clients need of it; that stays so. */
  boolean isReady() {
    return served;
  }

  /** Its clients leave from now on; the others hear first how many, then that they do. */
  synchronized void onDraining() {
    draining = true;
    report();
    announce();
  }

  /** Tells the others how far it is, if that has changed. */
  synchronized void announce() {
    lookAtBroker();
    boolean settled = nanos.getAsLong() - settledNs >= 0;
    served |= ready && settled;
    NodeState state = state(settled);
    if (state != self.state()) {
      cluster.announce(state);
      self = cluster.self();
      log.atInfo().addKeyValue("state", state).log("cluster.state");
    }
  }

  /** When it comes back, each log begins anew. */
  private void lookAtBroker() {
    int lost = losses.getAsInt(); // first: a loss between the two is left to the next look
    hasBroker = live.getAsBoolean();
    if (hasBroker && lost != knownLosses) {
      knownLosses = lost;
      if (hadBroker) {
        settle();
      }
    }
    hadBroker |= hasBroker;
  }

  private NodeState state(boolean settled) {
    if (draining) {
      return NodeState.DRAINING;
    }
    return ready && settled && !takingOver && hasBroker ? NodeState.UP : NodeState.JOINING;
  }

  /** Takes new figures of this node's load, and tells the others what matters of them. */
  void measure() {
    cluster.report(loads.measure());
  }

  /** The same by the latest figures, but with its clients as they are now. */
  void report() {
    cluster.report(loads.now());
  }

  /** This node, with its clients as they are now. */
  Node self() {
    return self.with(loads.now());
  }

  /** All nodes by name, this one as the others were told. */
  List<Node> nodes() {
    return cluster.nodes();
  }

  /** The cluster that it is in just now. */
  Cluster cluster() {
    return cluster;
  }

  /**
   * @param files with the certificate that it shows
   * @param topics of other nodes
   */
  ClusterFigures figures(PeerFiles files, WarmTopics.Figures topics) {
    List<Node> nodes = nodes();
    ClusterCounts counts = cluster.counts();
    return new ClusterFigures(
        count(nodes, NodeState.JOINING),
        count(nodes, NodeState.UP),
        count(nodes, NodeState.DRAINING),
        counts.told(),
        counts.toldBytes(),
        counts.malformed(),
        counts.dropped(),
        counts.refused(),
        counts.views(),
        files.endsMs(),
        files.areOutdated(),
        topics.warm(),
        topics.leftOut());
  }

  private static int count(List<Node> nodes, NodeState state) {
    return (int) nodes.stream().filter(node -> node.state() == state).count();
  }

  /** Leaves. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    cluster.close();
  }
}
