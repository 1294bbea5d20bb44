package io.sluice.gateway.membership;

import io.sluice.cluster.Balance;
import io.sluice.cluster.Cluster;
import io.sluice.cluster.Node;
import io.sluice.cluster.NodeState;
import io.sluice.cluster.Standalone;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of this node as announced to its cluster, and its view of the other nodes. Also used
 * without a cluster. For any thread; only {@link #close} blocks.
 */
final class ClusterMembership implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterMembership.class);

  private final LoadMeter loads;
  private final BooleanSupplier live;
  private final IntSupplier losses;
  private volatile Cluster cluster;

  /** Volatile so that event loops read it without a lock; its load is not used. */
  private volatile Node self;

  private final long settleNs;
  private final LongSupplier clockNs;

  /** True once the node has been ready; volatile so that event loops read it without a lock. */
  private volatile boolean wasReady;

  private boolean entered;
  private boolean ready;
  private boolean subscribing;
  private boolean hasBroker;
  private boolean hadBroker;

  /** Number of losses of the broker up to its latest return. */
  private int seenLosses;

  /** Time from which on all logs are old enough. */
  private long settledNs;

  private boolean draining;
  private boolean closed;

  /**
   * @param self initial state of this node
   * @param live whether the broker is available: without it no client should be redirected here
   * @param losses number of losses of the broker, including those between two polls
   * @param settle minimum age of logs that accept positions of other nodes
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
      LongSupplier clockNs) {
    this.cluster = new Standalone(self);
    this.self = self;
    this.loads = loads;
    this.live = live;
    this.losses = losses;
    this.settleNs = settle.toNanos();
    this.clockNs = clockNs;
    this.settledNs = clockNs.getAsLong();
  }

  /** Sets the cluster, which is closed with this object. */
  void enter(Cluster joined) {
    synchronized (this) {
      if (!closed) {
        cluster = joined;
        entered = true;
        self = cluster.self();
        subscribing = true; // until the topics in use on other nodes are subscribed
        report();
        announce();
        return;
      }
    }
    joined.close();
  }

  /** Marks the node as ready; returns whether it was not before. */
  synchronized boolean onReady() {
    boolean changed = !ready;
    ready = true;
    announce();
    return changed;
  }

  /**
   * Notifies that this node subscribes to topics of other nodes: their clients should not be
   * redirected here.
   */
  synchronized void onSubscribing() {
    subscribing = true;
    announce();
  }

  /** Notifies that this number of topics is active now; their logs are young. */
  synchronized void onSubscribed(int active) {
    subscribing = false;
    ready = true;
    if (active > 0) {
      settle();
    }
    announce();
  }

  private void settle() {
    settledNs = clockNs.getAsLong() + settleNs;
  }

  /** Returns whether the node is or has been ready for clients. */
  boolean hasBeenReady() {
    return wasReady;
  }

  /** Announces a drain; the number of clients is sent before the state. */
  synchronized void onDraining() {
    draining = true;
    report();
    announce();
  }

  /** Ends the announced drain. */
  synchronized void onUndrained() {
    draining = false;
    report();
    announce();
  }

  /** Announces the node's state if it has changed. */
  synchronized void announce() {
    updateBroker();
    boolean settled = clockNs.getAsLong() - settledNs >= 0;
    wasReady |= ready && settled;
    NodeState state = state(settled);
    if (state != self.state()) {
      cluster.announce(state);
      self = cluster.self();
      if (entered) { // a single node has no use for it
        log.atInfo().addKeyValue("state", state).log("cluster.state");
      }
    }
  }

  /** Reads the broker's state. After its return, each log starts anew and has to settle. */
  private void updateBroker() {
    int lost =
        losses.getAsInt(); // read first: a loss between the two reads is seen by the next call
    hasBroker = live.getAsBoolean();
    if (hasBroker && lost != seenLosses) {
      seenLosses = lost;
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
    if (hadBroker && !hasBroker) {
      return NodeState.BROKER_LOST;
    }
    return ready && settled && !subscribing && hasBroker ? NodeState.UP : NodeState.JOINING;
  }

  /** Measures this node's load, and reports material changes to the other nodes. */
  void measure() {
    cluster.report(loads.measure());
  }

  /** Reports the latest measured load with the current number of clients. */
  void report() {
    cluster.report(loads.now());
  }

  /** Reports the load, and returns the number of clients that other nodes drain before this one. */
  long drainedBefore() {
    report();
    return Balance.drainedBefore(self(), nodes());
  }

  /** Returns this node with the current number of clients. */
  Node self() {
    return self.with(loads.now());
  }

  /** Returns all nodes by name, this one as last announced. */
  List<Node> nodes() {
    return cluster.nodes();
  }

  /** Returns the current cluster. */
  Cluster cluster() {
    return cluster;
  }

  /** Leaves the cluster. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    cluster.close();
  }
}
