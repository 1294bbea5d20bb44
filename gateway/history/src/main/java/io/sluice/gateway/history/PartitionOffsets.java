package io.sluice.gateway.history;

import io.sluice.gateway.broker.StreamPlace;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The latest message of each partition of a stream, as its {@link StreamPlace#rank}. One thread
 * raises them; any may read.
 */
public final class PartitionOffsets {
  /** Number below which partitions of a client count that are not known here. */
  private static final int MAX_UNKNOWN = 1_024;

  private volatile AtomicLongArray offsets;

  /** Creates the offsets of a place. */
  public PartitionOffsets(StreamPlace place) {
    this(place.ids(), StreamPlace.MAX_PARTITIONS);
  }

  /** Creates the offsets of identities, without those of partitions from a number on. */
  private PartitionOffsets(long[] ids, int end) {
    int size = 0;
    for (long id : ids) {
      int partition = StreamPlace.partition(id);
      size = partition < end ? Math.max(size, partition + 1) : size;
    }
    offsets = copy(new AtomicLongArray(0), size);
    for (long id : ids) {
      if (StreamPlace.partition(id) < size) {
        raise(id);
      }
    }
  }

  private PartitionOffsets(AtomicLongArray offsets) {
    this.offsets = offsets;
  }

  /**
   * Returns the offsets of a client's identities. A partition of which no message has arrived here
   * may be among them; those with high numbers would need much memory.
   */
  PartitionOffsets ofClient(long[] ids) {
    return new PartitionOffsets(ids, Math.max(offsets.length(), MAX_UNKNOWN));
  }

  /** Returns the lowest offset of each partition. */
  public static PartitionOffsets earliest(Collection<PartitionOffsets> all) {
    int size = all.stream().mapToInt(each -> each.offsets.length()).min().orElse(0);
    AtomicLongArray lowest = new AtomicLongArray(size);
    for (int partition = 0; partition < size; partition++) {
      int index = partition;
      lowest.set(index, all.stream().mapToLong(each -> each.get(index)).min().getAsLong());
    }
    return new PartitionOffsets(lowest);
  }

  /** Returns a copy of the present state. */
  PartitionOffsets copy() {
    return new PartitionOffsets(copy(offsets, 0));
  }

  private static AtomicLongArray copy(AtomicLongArray from, int minSize) {
    long[] copied = new long[Math.max(minSize, from.length())];
    Arrays.fill(copied, StreamPlace.BEFORE_FIRST);
    for (int i = 0; i < from.length(); i++) {
      copied[i] = from.get(i);
    }
    return new AtomicLongArray(copied);
  }

  /** Raises the offset of a message's partition to that of the message. */
  public void raise(long id) {
    int partition = StreamPlace.partition(id);
    AtomicLongArray known = offsets;
    AtomicLongArray large = partition < known.length() ? known : copy(known, partition + 1);
    if (StreamPlace.rank(id) > large.get(partition)) {
      large.set(partition, StreamPlace.rank(id));
    }
    offsets = large;
  }

  /** Returns whether a message is later. */
  public boolean isBefore(long id) {
    return StreamPlace.rank(id) > get(StreamPlace.partition(id));
  }

  /** Returns whether the offset of a partition is one of those from the first to the last id. */
  boolean isWithin(long first, long last) {
    long offset = get(StreamPlace.partition(first));
    return offset >= StreamPlace.rank(first) && offset <= StreamPlace.rank(last);
  }

  /** Returns whether a message is the latest one of its partition. */
  boolean isAt(long id) {
    return StreamPlace.rank(id) == get(StreamPlace.partition(id));
  }

  /** Returns whether no partition is behind others. */
  public boolean reaches(PartitionOffsets others) {
    AtomicLongArray start = others.offsets;
    for (int partition = 0; partition < start.length(); partition++) {
      if (start.get(partition) > get(partition)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the sum of the offsets. */
  public long sum() {
    AtomicLongArray known = offsets;
    long sum = 0;
    for (int partition = 0; partition < known.length(); partition++) {
      sum += known.get(partition) - StreamPlace.BEFORE_FIRST;
    }
    return sum;
  }

  private long get(int partition) {
    AtomicLongArray known = offsets;
    return partition < known.length() ? known.get(partition) : StreamPlace.BEFORE_FIRST;
  }

  /** Returns the identities of the messages. */
  public Set<Long> ids() {
    AtomicLongArray known = offsets;
    Set<Long> ids = new HashSet<>();
    for (int partition = 0; partition < known.length(); partition++) {
      if (known.get(partition) > StreamPlace.BEFORE_FIRST) {
        ids.add(StreamPlace.ofRank(partition, known.get(partition)));
      }
    }
    return ids;
  }

  /** Returns the place in a stream. */
  public StreamPlace place(int stream) {
    return new StreamPlace(stream, ids().stream().mapToLong(id -> id).toArray());
  }
}
