package io.sluice.cluster;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What this node is, what the others were told of it, and when they are told again. Any thread may
 * call it.
 */
final class Announcer {
  private final long reportNs;
  private final LongSupplier nanoTime;
  private Node self;
  private Node told;
  private long toldNs;
  private long number;

  Announcer(Node self, long reportMs, LongSupplier nanoTime) {
    this.self = self;
    this.told = self;
    this.reportNs = TimeUnit.MILLISECONDS.toNanos(reportMs);
    this.nanoTime = nanoTime;
    this.toldNs = nanoTime.getAsLong() - reportNs;
  }

  synchronized Node self() {
    return self;
  }

  synchronized Node told() {
    return told;
  }

  /** False if it was so already. */
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

  /** How long the others can wait for what they don't know yet; negative if they know enough. */
  synchronized long waitNs() {
    if (self.state() != told.state() || hasDrained()) {
      return 0;
    }
    if (!self.load().differsMateriallyFrom(told.load())) {
      return -1;
    }
    return Math.max(0, toldNs + reportNs - nanoTime.getAsLong());
  }

  /** The next node in line for {@link DrainPace} waits for this. */
  private boolean hasDrained() {
    return self.state() == NodeState.DRAINING
        && self.load().movable() == 0
        && told.load().movable() > 0;
  }

  /** What to tell all others now. */
  synchronized ClusterMessage.Status tell() {
    told = self;
    toldNs = nanoTime.getAsLong();
    number++;
    return new ClusterMessage.Status(told, number);
  }

  /** What to tell one that has just come: the same that all others know. */
  synchronized ClusterMessage.Status repeat() {
    return new ClusterMessage.Status(told, number);
  }
}
