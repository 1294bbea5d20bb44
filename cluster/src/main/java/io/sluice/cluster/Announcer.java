package io.sluice.cluster;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * State of this node, its last announced status, and the schedule of the next one. Any thread may
 * call it.
 */
final class Announcer {
  private final long reportNs;
  private final LongSupplier nanoTime;
  private Node self;
  private Node announced;
  private long announcedNs;
  private long number;

  Announcer(Node self, long reportMs, LongSupplier nanoTime) {
    this.self = self;
    this.announced = self;
    this.reportNs = TimeUnit.MILLISECONDS.toNanos(reportMs);
    this.nanoTime = nanoTime;
    this.announcedNs = nanoTime.getAsLong() - reportNs;
  }

  synchronized Node self() {
    return self;
  }

  /** Returns this node as last announced. */
  synchronized Node announced() {
    return announced;
  }

  /** Changes the state; returns whether it has changed. */
  synchronized boolean announce(NodeState state, long nowMs) {
    if (self.state() == state) {
      return false;
    }
    self = self.in(state, nowMs);
    return true;
  }

  synchronized void report(Load load) {
    self = self.with(load);
  }

  /** Returns the delay until the next announcement; negative if none is due. */
  synchronized long delayNs() {
    if (self.state() != announced.state() || hasDrained()) {
      return 0;
    }
    if (!self.load().differsMateriallyFrom(announced.load())) {
      return -1;
    }
    return Math.max(0, announcedNs + reportNs - nanoTime.getAsLong());
  }

  /**
   * Returns whether the drain has just ended; the next node of {@link Balance#drainedBefore} waits
   * for this.
   */
  private boolean hasDrained() {
    return self.state() == NodeState.DRAINING
        && self.load().movable() == 0
        && announced.load().movable() > 0;
  }

  /** Returns the next status for all other nodes. */
  synchronized Status nextStatus() {
    announced = self;
    announcedNs = nanoTime.getAsLong();
    number++;
    return new Status(announced, number);
  }

  /** Returns the last announced status, for a node that has just joined. */
  synchronized Status lastStatus() {
    return new Status(announced, number);
  }
}
