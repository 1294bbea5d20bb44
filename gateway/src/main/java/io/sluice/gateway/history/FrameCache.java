package io.sluice.gateway.history;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The most recently encoded frames of a node, kept for replays up to a budget of bytes. For any
 * thread, without a lock.
 *
 * <p>It counts all frames of messages that exist, also those that still wait for a loop. So the
 * more memory the live fan-out takes, the less is kept for replays.
 *
 * <p>A slot of the ring that holds frames owns one share of them. The thread that empties the slot
 * releases that share.
 */
public final class FrameCache {
  static final long NOT_KEPT = -1;

  private static final int LEAST_SLOTS = 1 << 8;
  private static final int MOST_SLOTS = 1 << 16;
  private static final int BYTES_A_SLOT = 1 << 9;

  private final long budget;
  private final GatewayMetrics metrics;
  private final AtomicReferenceArray<EncodedMessage> slots;
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong oldest = new AtomicLong();
  private final AtomicLong used = new AtomicLong();

  /**
   * @param budget bytes; 0 keeps nothing
   */
  public FrameCache(long budget, GatewayMetrics metrics) {
    this.budget = budget;
    this.metrics = metrics;
    long wanted = Math.max(LEAST_SLOTS, Math.min(MOST_SLOTS, budget / BYTES_A_SLOT));
    this.slots = new AtomicReferenceArray<>((int) Long.highestOneBit(wanted));
  }

  private int slot(long ticket) {
    return (int) ticket & slots.length() - 1; // a power of two
  }

  /** A frame of this size was encoded. */
  void encoded(int bytes) {
    used.addAndGet(bytes);
    metrics.frameBytes(bytes);
  }

  /** Frames of this size are gone. */
  void released(long bytes) {
    if (bytes > 0) {
      used.addAndGet(-bytes);
      metrics.frameBytes(-bytes);
    }
  }

  /** Keeps frames until newer ones need the room. Called once by their creator. */
  void keep(EncodedMessage frames) {
    if (budget == 0) {
      return;
    }
    frames.retain();
    long ticket = next.getAndIncrement();
    frames.ticket = ticket;
    EncodedMessage before = slots.getAndSet(slot(ticket), frames);
    if (before != null) {
      before.release();
    }
    trim();
  }

  private void trim() {
    while (used.get() > budget && evictOldest()) {
      // until there is room, or nothing is kept
    }
  }

  private boolean evictOldest() {
    long end = next.get();
    long ticket = oldest.get();
    if (ticket >= end) {
      return false;
    }
    long first = Math.max(ticket, end - slots.length()); // older ones were overwritten
    if (oldest.compareAndSet(ticket, first + 1)) {
      EncodedMessage frames = slots.getAndSet(slot(first), null);
      if (frames != null) {
        frames.release();
      }
    }
    return true;
  }

  /** Releases the share of the cache, if it still has one. */
  void drop(EncodedMessage frames) {
    long ticket = frames.ticket;
    if (ticket != NOT_KEPT && slots.compareAndSet(slot(ticket), frames, null)) {
      frames.release();
    }
  }

  /** Bytes of all frames that exist. */
  long used() {
    return used.get();
  }

  /** Releases everything that is kept. */
  public void clear() {
    for (int i = 0; i < slots.length(); i++) {
      EncodedMessage frames = slots.getAndSet(i, null);
      if (frames != null) {
        frames.release();
      }
    }
  }
}
