package io.sluice.gateway.multicast;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.link.LinkGroup.LeafLog;
import io.sluice.gateway.link.LinkRecord;
import java.util.ArrayDeque;

/**
 * Log that a leaf can receive by the group: entries are passed on in the order of their offsets,
 * whichever way they arrive. Bound to the event loop of the links.
 */
final class LeafTopic {
  private static final int MAX_HELD = 4_096;
  private static final long MAX_HELD_BYTES = 1 << 20;

  private final int ref;
  private final int channel;
  private final long epoch;

  /** Latest entries behind missing ones, without a gap among them. */
  private final ArrayDeque<LinkRecord.Entry> held = new ArrayDeque<>(0);

  private long heldBytes;

  /** Offset that must arrive, because the root has reported it; -1 without one. */
  private long due = -1;

  /** Ticks since it was reported. */
  private int age;

  private boolean heldBefore;
  private boolean repairing;

  LeafTopic(int ref, int channel, long epoch) {
    this.ref = ref;
    this.channel = channel;
    this.epoch = epoch;
  }

  int ref() {
    return ref;
  }

  int channel() {
    return channel;
  }

  /** Returns whether the group has the entries of an interest. */
  boolean isOf(LeafLog log) {
    return log != null && log.epoch() == epoch;
  }

  /**
   * An entry arrived by the group.
   *
   * @return the number of entries that were passed on; -1 if the link must continue the log
   */
  int onEntry(LinkRecord.Entry entry, LeafLog to) {
    if (entry.offset() <= to.offset()) {
      return 0;
    }
    if (to.isFull()) {
      discard();
      return repair();
    }
    if (entry.offset() == to.offset() + 1) {
      to.onGroupEntry(entry);
      return 1 + passHeld(to);
    }
    return hold(entry) ? 0 : repair();
  }

  private int repair() {
    boolean wasRepairing = repairing;
    repairing = true;
    return wasRepairing ? 0 : -1;
  }

  /** Returns false if others were discarded for this one. */
  private boolean hold(LinkRecord.Entry entry) {
    if (!held.isEmpty() && held.peekLast().offset() + 1 != entry.offset()) {
      discard();
    }
    held.add(entry);
    heldBytes += LogEntry.size(entry.message());
    boolean fits = held.size() <= MAX_HELD && heldBytes <= MAX_HELD_BYTES;
    if (!fits) {
      heldBytes -= LogEntry.size(held.remove().message());
    }
    return fits;
  }

  private void discard() {
    held.clear();
    heldBytes = 0;
  }

  boolean hasHeld() {
    return !held.isEmpty();
  }

  /** Passes held entries on; returns their number. */
  int passHeld(LeafLog to) {
    int passed = 0;
    while (!held.isEmpty() && held.peek().offset() <= to.offset() + 1) {
      LinkRecord.Entry next = held.remove();
      heldBytes -= LogEntry.size(next.message());
      if (next.offset() > to.offset()) {
        to.onGroupEntry(next);
        passed++;
      }
    }
    return passed;
  }

  /** The root has sent entries up to an offset by the group. */
  void onSent(long offset) {
    repairing = false;
    if (due < 0) {
      due = offset;
    }
  }

  /** Returns whether the link must continue the log, as entries are missing for a whole tick. */
  boolean onTick(LeafLog to) {
    boolean isLate = isOverdue(to) || heldBefore && !held.isEmpty();
    heldBefore = !held.isEmpty() && !isLate;
    return isLate && repair() < 0;
  }

  // A report is checked at the second tick after it.
  private boolean isOverdue(LeafLog to) {
    if (due < 0 || to.offset() >= due) {
      due = -1;
      age = 0;
      return false;
    }
    if (++age < 2) {
      return false;
    }
    due = -1;
    age = 0;
    return true;
  }
}
