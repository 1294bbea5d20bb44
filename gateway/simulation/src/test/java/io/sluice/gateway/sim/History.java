package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All messages and losses delivered to one interest of a node, by offset. Its log contains at most
 * these.
 */
final class History {
  /**
   * One message or loss.
   *
   * @param identity undefined for a loss
   * @param bytes maximum that a log may charge for it
   */
  record Entry(boolean loss, long identity, int bytes, long arrivedMs) {}

  /** Upper bound of the bytes charged for an entry in addition to its payload. */
  private static final int OVERHEAD = 256;

  private final List<Entry> entries = new ArrayList<>();
  private final List<Long> activations = new ArrayList<>();
  private long activeSinceMs;
  private final Set<Entry> late = new HashSet<>();
  private boolean receivedTransaction;
  private long delayMs;

  void onActive(boolean again, long nowMs) {
    if (again) {
      mark(nowMs);
    }
    activeSinceMs = nowMs;
    activations.add(nowMs);
  }

  void mark(long nowMs) {
    entries.add(new Entry(true, 0, OVERHEAD, nowMs));
  }

  void message(Message message, long nowMs) {
    int bytes = OVERHEAD + message.payload().length;
    entries.add(new Entry(false, message.identity(), bytes, nowMs));
  }

  /**
   * Adds a message that was sent long before.
   *
   * @param scheduled whether it names this time; otherwise a transaction was open
   */
  void late(Message message, boolean scheduled, long ageMs, long nowMs) {
    receivedTransaction |= !scheduled;
    delayMs = Math.max(delayMs, ageMs);
    message(message, nowMs);
    late.add(at(last()));
  }

  /** Returns whether a message was sent long before. */
  boolean isLate(Entry entry) {
    return late.contains(entry);
  }

  /** Returns whether it has a message that looks like a part of a backlog. */
  boolean hasReceivedTransaction() {
    return receivedTransaction;
  }

  /** Returns the longest time between the sending and the delivery of a scheduled message. */
  long delayMs() {
    return delayMs;
  }

  boolean hasLoss() {
    return entries.stream().anyMatch(Entry::loss);
  }

  /** Returns the times at which its consumer became active. */
  List<Long> activations() {
    return activations;
  }

  /** Returns the number of the last entry, counted from 1. */
  long last() {
    return entries.size();
  }

  /** Returns the number of the last entry that arrived by this time. */
  long lastBy(long timeMs) {
    long offset = last();
    while (offset > 0 && at(offset).arrivedMs() > timeMs) {
      offset--;
    }
    return offset;
  }

  Entry at(long offset) {
    return entries.get((int) offset - 1);
  }

  /** Returns the time from which all published messages arrive, in milliseconds of the run. */
  long activeSinceMs() {
    return activeSinceMs;
  }
}
