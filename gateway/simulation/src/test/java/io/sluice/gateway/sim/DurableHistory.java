package io.sluice.gateway.sim;

import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.store.StoredMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Messages available to a durable interest in one run of a node: its journal and all later
 * arrivals.
 */
final class DurableHistory {
  final History entries = new History();

  /**
   * Lineage of the journal. Clients with a position of another lineage must be notified of a gap.
   */
  final long lineage;

  private final boolean persistent;
  private final Set<Long> known = new HashSet<>();
  private final List<Published> unsafe = new ArrayList<>();
  private boolean hasPast;

  /** True while a loss has not been written to disk. */
  private boolean owed;

  private boolean lost;
  private int returns;

  /**
   * @param fresh whether the journal is new
   * @param persistent whether all messages of this world are persistent
   */
  DurableHistory(long lineage, boolean fresh, boolean persistent) {
    this.lineage = lineage;
    this.hasPast = !fresh;
    this.persistent = persistent;
  }

  /**
   * Adds an entry of the journal that does not fit into the log. A redelivery of it is recognized.
   */
  void addKnown(StoredMessage entry) {
    if (entry.message() != null) {
      known.add(entry.message().identity());
    }
  }

  /**
   * Adds an entry of the journal to the log, with the earliest arrival time that the node may
   * assume.
   */
  void restore(StoredMessage entry, long earliestMs) {
    if (entry.message() == null) {
      lost = true; // a loss may be reported again
      entries.mark(earliestMs);
    } else {
      entries.message(entry.message(), earliestMs);
    }
  }

  /** Handles a new connection to the broker; returns whether messages may be lost. */
  boolean onReconnected(RetainedMessages kept, boolean remembered, long nowMs) {
    boolean lostNow = hasPast && !(kept.persistent() && (kept.nonPersistent() || persistent));
    if (lostNow) {
      lost = true;
      owed = true;
      entries.mark(nowMs);
    }
    if (owed && remembered) { // together with all waiting arrivals
      onArrivals(List.of(), nowMs);
      owed = false;
    }
    hasPast = true;
    returns++;
    return lostNow;
  }

  /** Adds messages that wait in the node for its disk. They precede later arrivals. */
  void onUnsafe(List<Published> arrivals) {
    unsafe.addAll(arrivals);
  }

  void onArrivals(List<Published> arrivals, long nowMs) {
    unsafe.addAll(arrivals);
    for (Published message : unsafe) {
      if (!message.forwardable()) {
        entries.mark(nowMs);
      } else if (known.add(message.message().identity())) {
        entries.message(message.message(), nowMs);
      }
    }
    unsafe.clear();
  }

  /** Returns whether the broker connection was lost in this run of the node. */
  boolean hasReturned() {
    return returns > 1;
  }

  /** Returns whether the broker may have lost messages since this journal began. */
  boolean hasLost() {
    return lost;
  }
}
