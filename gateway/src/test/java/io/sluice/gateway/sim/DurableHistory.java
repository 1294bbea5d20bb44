package io.sluice.gateway.sim;

import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.journal.StoredMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a durable interest of one life of a node could know: its journal, and what came since. */
final class DurableHistory {
  final History entries = new History();

  /** That of the journal: where it is another one, clients have to be told of a gap. */
  final long line;

  private final boolean persistent;
  private final Set<Long> known = new HashSet<>();
  private final List<Published> unsafe = new ArrayList<>();
  private boolean hasPast;

  /** Whether the disk does not know yet that something was lost. */
  private boolean owed;

  private boolean lost;
  private int returns;

  /**
   * @param fresh whether its journal is a new one
   * @param persistent whether all messages of this world are
   */
  DurableHistory(long line, boolean fresh, boolean persistent) {
    this.line = line;
    this.hasPast = !fresh;
    this.persistent = persistent;
  }

  /** What the journal has and the log does not take: when it comes again, it is known. */
  void know(StoredMessage entry) {
    if (entry.message() != null) {
      known.add(entry.message().identity());
    }
  }

  /** What the journal has, with the earliest time at which the node may take it for arrived. */
  void restore(StoredMessage entry, long earliestMs) {
    if (entry.message() == null) {
      lost = true; // what was lost may be told again
      entries.mark(earliestMs);
    } else {
      entries.message(entry.message(), earliestMs);
    }
  }

  /** Takes what the broker has kept; returns whether something of it may be lost. */
  boolean onReconnected(RetainedMessages kept, boolean remembered, long nowMs) {
    boolean lostNow = hasPast && !(kept.persistent() && (kept.nonPersistent() || persistent));
    if (lostNow) {
      lost = true;
      owed = true;
      entries.mark(nowMs);
    }
    if (owed && remembered) { // and with it whatever waited
      onArrivals(List.of(), nowMs);
      owed = false;
    }
    hasPast = true;
    returns++;
    return lostNow;
  }

  /** These wait in the node until its disk takes them, and go before what comes then. */
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

  /** Whether the broker was away in this life of the node. */
  boolean hasReturned() {
    return returns > 1;
  }

  /** Whether the broker may have lost something since this journal began. */
  boolean hasLost() {
    return lost;
  }
}
