package io.sluice.gateway.sim;

import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.InterestKey;
import java.util.ArrayList;
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

  /** Separate random sequence of elections and truncations. */
  private final SeededRandom elections;

  /** Mean time between elections of a leader that truncate a partition; 0 for never. */
  final long truncationMean;

  /** Mean time between elections of a leader that has all messages; 0 for never. */
  final long electionMean;

  /** True if identities have no marks. */
  private final boolean unmarked;

  private int partitions;
  private int number = 1;

  /** Numbers of the messages of each partition in this stream, by offset. */
  private final List<List<Integer>> log = new ArrayList<>();

  /** Offset of the first stored message of each partition. */
  private final int[] kept;

  /** Epoch of the leader of each partition, and the end at which each leader has begun. */
  private final List<List<Integer>> leaders = new ArrayList<>();

  /** Messages that a truncation has removed. */
  private final Set<Published> truncated = new HashSet<>();

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
    for (int partition = 0; partition < most; partition++) {
      log.add(new ArrayList<>());
      leaders.add(new ArrayList<>(List.of(0)));
    }
    kept = new int[most];
    growthMean = grows ? random.between(10, 60) * Plan.SECOND : 0;
    removalMean = random.oneIn(3) ? random.between(1, 20) * Plan.SECOND : 0;
    compactionMean = random.oneIn(3) ? random.between(1, 20) * Plan.SECOND : 0;
    restartMean = random.oneIn(4) ? random.between(10, 60) * Plan.SECOND : 0;
    readMicros = random.of(List.of(10 * Plan.MILLI, Plan.SECOND, 10 * Plan.SECOND));
    fetchMicros = random.of(List.of(2 * Plan.MILLI, 50 * Plan.MILLI, 500 * Plan.MILLI));
    failureOneIn = random.of(List.of(10, 1_000_000));
    readBack = random.oneIn(2) ? 100_000 : random.of(List.of(0, 20, 200));
    elections = new SeededRandom((seed - SALT) * SPREADER);
    boolean elects =
        broken.isEmpty() ? elections.oneIn(3) : broken.stream().anyMatch(Rule::isOfTruncation);
    unmarked = broken.contains(Rule.MARK_DISTINGUISHES_MESSAGES);
    electionMean = elects ? elections.between(5, 60) * Plan.SECOND : 0;
    truncationMean = elects ? elections.between(5, 60) * Plan.SECOND : 0;
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

  /** Stores the next message of a partition, and returns its id. */
  long append(int partition, int messageNumber) {
    log.get(partition).add(messageNumber);
    return id(partition, end(partition) - 1L, leader(partition));
  }

  /** Returns the identity of a message that a leader has. */
  long id(int partition, long offset, int leader) {
    return StreamPlace.id(partition, offset, unmarked ? 0 : leader);
  }

  /** Returns whether a message exists that a client has received. */
  boolean has(long id) {
    int partition = StreamPlace.partition(id);
    return partition < partitions
        && StreamPlace.mark(id) <= leader(partition) // otherwise it is of an earlier stream
        && StreamPlace.offset(id) < endSince(partition, StreamPlace.mark(id));
  }

  /** Returns the offset after the last message of a partition. */
  int end(int partition) {
    return log.get(partition).size();
  }

  /** Returns the number of a message in its partition. */
  int messageNumber(int partition, long offset) {
    return log.get(partition).get((int) offset);
  }

  /** Returns the offset of the first stored message of a partition. */
  int kept(int partition) {
    return kept[partition];
  }

  /** Returns the epoch of the leader of a partition. */
  int leader(int partition) {
    return leaders.get(partition).size();
  }

  /** Returns the end of the messages that the leader of an epoch has had and that are stored. */
  int endSince(int partition, int leader) {
    List<Integer> all = leaders.get(partition);
    int end = end(partition);
    return all.subList(leader, all.size()).stream().mapToInt(begun -> begun).min().orElse(end);
  }

  boolean isCompacted(Published message) {
    return compacted.contains(message);
  }

  boolean isTruncated(Published message) {
    return truncated.contains(message);
  }

  /**
   * Returns the place before the next messages of partitions.
   *
   * @param known epochs of leaders that have the messages before
   */
  StreamPlace place(int stream, int[] next, int[] known) {
    long[] ids = new long[next.length];
    int count = 0;
    for (int partition = 0; partition < next.length; partition++) {
      if (next[partition] > 0) {
        ids[count++] = id(partition, next[partition] - 1L, known[partition]);
      }
    }
    return new StreamPlace(stream, Arrays.copyOf(ids, count));
  }

  /** Returns whether a node can read all messages of an interest after a place. */
  boolean canRead(SimulatedBroker broker, InterestKey key, Map<Integer, Long> place) {
    int count = 0;
    for (int partition = 0; partition < partitions; partition++) {
      long id = place.getOrDefault(partition, -1L);
      int from = id < 0 ? 0 : (int) StreamPlace.offset(id) + 1;
      if (from < kept[partition]) {
        return false;
      }
      for (int offset = from; offset < end(partition); offset++) {
        Published message = broker.accepted(partition).get(messageNumber(partition, offset));
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

  void grow() {
    partitions = Math.min(most, partitions + 1);
  }

  /** Removes the oldest messages of a partition. */
  void remove() {
    int partition = random.below(partitions);
    long from = end(partition) - random.mostlySmall(400);
    kept[partition] = (int) Math.max(kept[partition], from);
  }

  /** Removes messages that have a newer one in their slot. */
  void compact(SimulatedBroker broker) {
    for (int partition = 0; partition < partitions; partition++) {
      Map<String, Published> newest = new HashMap<>();
      for (int offset = kept[partition]; offset < end(partition); offset++) {
        Published message = broker.accepted(partition).get(messageNumber(partition, offset));
        Published before = newest.put(message.slot(), message);
        if (before != null) {
          compacted.add(before);
        }
      }
    }
  }

  /** Deletes the stream and creates another one. */
  void restart() {
    number++;
    for (int partition = 0; partition < most; partition++) {
      log.get(partition).clear();
      leaders.get(partition).clear();
      leaders.get(partition).add(0);
      kept[partition] = 0;
    }
  }

  /**
   * Elects another leader of a partition and returns the partition.
   *
   * @param truncates whether it lacks the last messages, whose offsets are then assigned again
   */
  int elect(SimulatedBroker broker, boolean truncates) {
    int partition = elections.below(partitions);
    List<Integer> stored = log.get(partition);
    long lacked = truncates ? 1 + elections.mostlySmall(100) : 0;
    int end = (int) Math.max(kept[partition], stored.size() - lacked);
    List<Integer> removed = stored.subList(end, stored.size());
    removed.forEach(each -> truncated.add(broker.accepted(partition).get(each)));
    removed.clear();
    leaders.get(partition).add(end);
    return partition;
  }

  @Override
  public String toString() {
    return ("stream: partitions=%d most=%d removal=%dms compaction=%dms growth=%dms restart=%dms"
            + " read=%dms of %d, fails 1/%d, fetch=%dms election=%dms truncation=%dms")
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
            fetchMicros / Plan.MILLI,
            electionMean / Plan.MILLI,
            truncationMean / Plan.MILLI);
  }
}
