package io.sluice.gateway.history;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Cache of the most recently encoded frames of a node, for replays, limited by a number of bytes.
 * Any thread may call it; it takes no lock.
 *
 * <p>The limit includes all encoded frames that exist, also those queued for an event loop. More
 * memory used by the live fan-out leaves less for replays.
 *
 * <p>A slot of the ring that contains frames owns one reference to them. The thread that empties
 * the slot releases that reference.
 */
public final class FrameCache {
  static final long NOT_CACHED = -1;

  private static final int MIN_SLOTS = 1 << 8;
  private static final int MAX_SLOTS = 1 << 16;
  private static final int BYTES_PER_SLOT = 1 << 9;

  private final long budget;
  private final GatewayMetrics metrics;
  private final AtomicReferenceArray<EncodedMessage> slots;
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong oldest = new AtomicLong();
  private final AtomicLong used = new AtomicLong();

  /**
   * Creates an empty cache.
   *
   * @param budget limit in bytes; 0 disables the cache
   */
  public FrameCache(long budget, GatewayMetrics metrics) {
    this.budget = budget;
    this.metrics = metrics;
    long capacity = Math.max(MIN_SLOTS, Math.min(MAX_SLOTS, budget / BYTES_PER_SLOT));
    this.slots = new AtomicReferenceArray<>((int) Long.highestOneBit(capacity));
  }

  private int slot(long ticket) {
    return (int) ticket & slots.length() - 1; // a power of two
  }

  /** Adds an encoded frame to the bytes in use. */
  void onEncoded(int bytes) {
    used.addAndGet(bytes);
    metrics.frameBytes(bytes);
  }

  /** Subtracts freed frames from the bytes in use. */
  void onReleased(long bytes) {
    if (bytes > 0) {
      used.addAndGet(-bytes);
      metrics.frameBytes(-bytes);
    }
  }

  /** Adds frames and evicts the oldest ones above the limit. Called once by the frames' creator. */
  void add(EncodedMessage frames) {
    if (budget == 0) {
      return;
    }
    frames.retain();
    long ticket = next.getAndIncrement();
    frames.ticket = ticket;
    EncodedMessage overwritten = slots.getAndSet(slot(ticket), frames);
    if (overwritten != null) {
      overwritten.release();
    }
    trim();
  }

  private void trim() {
    while (used.get() > budget && evictOldest()) {
      // repeat until the cache is within its limit or empty
    }
  }

  private boolean evictOldest() {
    long end = next.get();
    long ticket = oldest.get();
    if (ticket >= end) {
      return false;
    }
    long first = Math.max(ticket, end - slots.length()); // older slots were overwritten
    if (oldest.compareAndSet(ticket, first + 1)) {
      EncodedMessage frames = slots.getAndSet(slot(first), null);
      if (frames != null) {
        frames.release();
      }
    }
    return true;
  }

  /** Removes frames and releases the cache's reference, unless they were already evicted. */
  void remove(EncodedMessage frames) {
    long ticket = frames.ticket;
    if (ticket != NOT_CACHED && slots.compareAndSet(slot(ticket), frames, null)) {
      frames.release();
    }
  }

  /** Returns the bytes of all encoded frames that exist. */
  long used() {
    return used.get();
  }

  /** Removes all frames. */
  public void clear() {
    for (int i = 0; i < slots.length(); i++) {
      EncodedMessage frames = slots.getAndSet(i, null);
      if (frames != null) {
        frames.release();
      }
    }
  }
}
