package io.sluice.gateway.sim;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.InterestKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Stream of an ordered source. Its partitions take the place of publishers: the numbers of a
 * publisher are those of a partition, counted across streams that are created again. It has a
 * separate random sequence.
 */
final class SimulatedStream {
  private static final long SALT = 0x57ea3L;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;
  private static final int MOST = 5;
  private static final int ADDED = 2;

  final SeededRandom random;

  /** Maximum number of partitions. */
  final int most;

  /** Mean times between changes of the stream; 0 for never. */
  final long removalMean;

  final long compactionMean;
  final long growthMean;
  final long restartMean;

  /** Maximum duration of one read of stored messages, and how many of them fail. */
  final long readMicros;

  final int failureOneIn;

  /** Maximum time from a message's acceptance to its arrival, without faults. */
  final long fetchMicros;

  /** Maximum number of messages that a node reads back. */
  final int readBack;

  private int partitions;
  private int number = 1;

  /** Number of the first message of each partition in this stream. */
  private final int[] begins;

  /** Number of the first message of each partition that is stored. */
  private final int[] kept;

  private final Set<Published> compacted = new HashSet<>();

  /**
   * @param broken rules that are violated
   */
  SimulatedStream(long seed, Set<Rule> broken) {
    random = new SeededRandom((seed + SALT) * SPREADER);
    boolean scalar = random.oneIn(3);
    partitions = scalar ? 1 : 2 + random.below(MOST - 1);
    boolean drawnGrowth = !scalar && random.oneIn(2);
    boolean grows = drawnGrowth || broken.contains(Rule.PARTITION_BEGINS_AT_FIRST);
    most = partitions + (grows ? ADDED : 0);
    begins = new int[most];
    kept = new int[most];
    growthMean = grows ? random.between(10, 60) * Plan.SECOND : 0;
    removalMean = random.oneIn(3) ? random.between(1, 20) * Plan.SECOND : 0;
    compactionMean = random.oneIn(3) ? random.between(1, 20) * Plan.SECOND : 0;
    restartMean = random.oneIn(4) ? random.between(10, 60) * Plan.SECOND : 0;
    readMicros = random.of(List.of(10 * Plan.MILLI, Plan.SECOND, 10 * Plan.SECOND));
    fetchMicros = random.of(List.of(2 * Plan.MILLI, 50 * Plan.MILLI, 500 * Plan.MILLI));
    failureOneIn = random.of(List.of(10, 1_000_000));
    readBack = random.oneIn(2) ? 100_000 : random.of(List.of(0, 20, 200));
  }

  /** Returns the number of the stream. */
  int number() {
    return number;
  }

  int partitions() {
    return partitions;
  }

  /** Returns the partition of a slot's next message. */
  int partition(String topic, String key) {
    return Math.floorMod((topic + '/' + key).hashCode() * 31 >>> 3, partitions);
  }

  long id(int partition, int messageNumber) {
    return StreamPlace.id(partition, messageNumber - begins[partition]);
  }

  /** Returns the number of a message in its partition. */
  int messageNumber(int partition, long offset) {
    return begins[partition] + (int) offset;
  }

  int begin(int partition) {
    return begins[partition];
  }

  /** Returns the number of the first stored message of a partition. */
  int kept(int partition) {
    return kept[partition];
  }

  boolean isCompacted(Published message) {
    return compacted.contains(message);
  }

  /** Returns the place before the next messages of partitions. */
  StreamPlace place(int stream, int[] from, int[] next) {
    long[] ids = new long[next.length];
    int count = 0;
    for (int partition = 0; partition < next.length; partition++) {
      if (next[partition] > from[partition]) {
        ids[count++] = StreamPlace.id(partition, next[partition] - from[partition] - 1L);
      }
    }
    return new StreamPlace(stream, Arrays.copyOf(ids, count));
  }

  /** Returns whether a node can read all messages of an interest after a place. */
  boolean canRead(SimulatedBroker broker, InterestKey key, Map<Integer, Long> place) {
    int count = 0;
    for (int partition = 0; partition < partitions; partition++) {
      long id = place.getOrDefault(partition, -1L);
      int from = id < 0 ? begins[partition] : messageNumber(partition, StreamPlace.offset(id)) + 1;
      List<Published> all = broker.accepted(partition);
      if (from < kept[partition]) {
        return false;
      }
      for (Published message : all.subList(Math.min(from, all.size()), all.size())) {
        if (Selectors.selects(key, message)) { // compacted ones may have been stored when it read
          count++;
          if (!message.forwardable()) {
            return false;
          }
        }
      }
    }
    return count <= readBack;
  }

  int[] begins() {
    return begins.clone();
  }

  void grow() {
    partitions = Math.min(most, partitions + 1);
  }

  /** Removes the oldest messages of a partition. */
  void remove(SimulatedBroker broker) {
    int partition = random.below(partitions);
    int end = broker.accepted(partition).size();
    kept[partition] = (int) Math.max(kept[partition], end - random.mostlySmall(400));
  }

  /** Removes messages that have a newer one in their slot. */
  void compact(SimulatedBroker broker) {
    for (int partition = 0; partition < partitions; partition++) {
      Map<String, Published> newest = new HashMap<>();
      List<Published> all = broker.accepted(partition);
      for (Published message : all.subList(kept[partition], all.size())) {
        Published before = newest.put(message.slot(), message);
        if (before != null) {
          compacted.add(before);
        }
      }
    }
  }

  /** Deletes the stream and creates another one. */
  void restart(SimulatedBroker broker) {
    number++;
    for (int partition = 0; partition < most; partition++) {
      begins[partition] = broker.accepted(partition).size();
      kept[partition] = begins[partition];
    }
  }

  @Override
  public String toString() {
    return ("stream: partitions=%d most=%d removal=%dms compaction=%dms growth=%dms restart=%dms"
            + " read=%dms of %d, fails 1/%d, fetch=%dms")
        .formatted(
            partitions,
            most,
            removalMean / Plan.MILLI,
            compactionMean / Plan.MILLI,
            growthMean / Plan.MILLI,
            restartMean / Plan.MILLI,
            readMicros / Plan.MILLI,
            readBack,
            failureOneIn,
            fetchMicros / Plan.MILLI);
  }
}
