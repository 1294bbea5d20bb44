package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;

/**
 * Joiner of equal send queues. Clients with the same subscriptions queue the same buffers in a
 * batch. The joiner copies these once, and each client sends the copy. Bound to an event loop;
 * reused for every batch.
 *
 * <p>Queues are compared by the identity of their buffers, which are borrowed until the batch ends.
 */
final class QueueJoiner {
  /** Maximum number of buffers of a joined queue; bounds the memory of the comparison. */
  static final int MAX_BUFFERS = 128;

  /** Maximum bytes of a joined queue, which a slow client retains. */
  static final int MAX_BYTES = 64 * 1024;

  /** Maximum bytes of all copies of a batch. */
  static final int MAX_BATCH_BYTES = 4 << 20;

  /** Bytes whose copy costs less than a socket's separate system call. */
  static final int BYTES_PER_SOCKET = 4 * 1024;

  private static final int SLOTS = 256; // a power of two

  private final ByteBufAllocator allocator;
  private final Slot[] slots = new Slot[SLOTS];
  private final Slot[] used = new Slot[SLOTS];
  private int usedCount;
  private int copiedBytes;

  /** Queue of one or several sockets. */
  private static final class Slot {
    private ByteBuf[] buffers = new ByteBuf[8];
    private int count;
    private int sockets;
    private ByteBuf joined;
  }

  QueueJoiner(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /**
   * Returns the bytes of a send queue as one buffer, borrowed until the end of the batch. Returns
   * null if too few sockets of this batch had an equal queue, or if it is too large.
   *
   * @param rest the buffers after {@code first}, at least one
   * @param bytes the bytes of all buffers
   */
  ByteBuf join(ByteBuf first, ArrayDeque<ByteBuf> rest, long bytes) {
    if (rest.size() >= MAX_BUFFERS || bytes > MAX_BYTES) {
      return null;
    }
    Slot slot = slot(first, rest);
    if (!isEqual(slot, first, rest)) {
      if (slot.joined == null) { // a joined queue is likely to occur again
        store(slot, first, rest);
      }
      return null;
    }
    slot.sockets++;
    if (slot.joined == null && isWorthCopying(slot, (int) bytes)) {
      copy(slot, (int) bytes);
    }
    return slot.joined;
  }

  private Slot slot(ByteBuf first, ArrayDeque<ByteBuf> rest) {
    int hash = 31 * System.identityHashCode(first) + System.identityHashCode(rest.peekLast());
    int index = (hash ^ hash >>> 16) & SLOTS - 1;
    Slot slot = slots[index];
    if (slot == null) {
      slot = new Slot();
      slots[index] = slot;
    }
    return slot;
  }

  private static boolean isEqual(Slot slot, ByteBuf first, ArrayDeque<ByteBuf> rest) {
    if (slot.count != 1 + rest.size() || slot.buffers[0] != first) {
      return false;
    }
    int i = 1;
    for (ByteBuf next : rest) {
      if (slot.buffers[i++] != next) {
        return false;
      }
    }
    return true;
  }

  private void store(Slot slot, ByteBuf first, ArrayDeque<ByteBuf> rest) {
    if (slot.count == 0) {
      used[usedCount++] = slot;
    }
    int count = 1 + rest.size();
    if (count > slot.buffers.length) {
      slot.buffers = new ByteBuf[Integer.highestOneBit(count - 1) * 2];
    }
    Iterator<ByteBuf> next = rest.iterator();
    slot.buffers[0] = first;
    for (int i = 1; i < count; i++) {
      slot.buffers[i] = next.next();
    }
    slot.count = count;
    slot.sockets = 1;
  }

  // The sockets seen so far would have saved the time of the copy.
  private boolean isWorthCopying(Slot slot, int bytes) {
    return (long) slot.sockets * BYTES_PER_SOCKET >= bytes
        && copiedBytes + bytes <= MAX_BATCH_BYTES;
  }

  private void copy(Slot slot, int bytes) {
    try {
      slot.joined = allocator.directBuffer(bytes);
    } catch (OutOfMemoryError e) { // the sockets send their buffers separately
      return;
    }
    for (int i = 0; i < slot.count; i++) {
      ByteBuf part = slot.buffers[i];
      slot.joined.writeBytes(part, part.readerIndex(), part.readableBytes());
    }
    copiedBytes += bytes;
  }

  /** Releases all copies at the end of the batch. */
  void endBatch() {
    for (int i = 0; i < usedCount; i++) {
      clear(used[i]);
      used[i] = null;
    }
    usedCount = 0;
    copiedBytes = 0;
  }

  private static void clear(Slot slot) {
    Arrays.fill(slot.buffers, null);
    slot.count = 0;
    if (slot.joined != null) {
      slot.joined.release();
      slot.joined = null;
    }
  }
}
