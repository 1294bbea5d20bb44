package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.StreamPlace;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * State of a Kafka topic at one time. Immutable, for any thread.
 *
 * @param stream ids of cluster and topic; another one if the topic was created again
 * @param compacted whether the newest record of each key is stored
 * @param begins first stored offset of each partition
 * @param ends offset after the last committed record of each partition
 * @param epochs epoch of the leader of each partition; {@link #UNKNOWN} if it has none
 */
record TopicLook(String stream, boolean compacted, long[] begins, long[] ends, int[] epochs) {
  static final int UNKNOWN = -1;

  /** Returns the epoch of the leader of a partition. */
  Optional<Integer> epoch(int partition) {
    return epochs[partition] == UNKNOWN ? Optional.empty() : Optional.of(epochs[partition]);
  }

  /** Returns whether records at the end of a partition were removed since an earlier state. */
  boolean isTruncated(int partition, TopicLook before) {
    // A former leader that was paused may report an earlier end.
    return partition < before.ends.length
        && epochs[partition] > before.epochs[partition]
        && ends[partition] < before.ends[partition];
  }

  /**
   * Returns a place in the topic.
   *
   * @param route partitions of the place; its mapping is part of the number
   * @param before identities of the records before it
   * @param reused identities that are assigned again, as in {@link StreamPlace}
   */
  StreamPlace place(KafkaNames.Route route, long[] before, long[] reused) {
    long[] ids =
        Arrays.stream(before).filter(id -> route.covers(StreamPlace.partition(id))).toArray();
    boolean whole = !route.isKeyed(); // patterns of keyed topics leave out records without a key
    return new StreamPlace(number(route.mapping()), ids, reused, whole);
  }

  /**
   * Returns the identity of the record before an offset. Its mark is the epoch of the present
   * leader, which has the record, instead of that of the leader that has stored it.
   */
  long before(int partition, long offset) {
    int epoch = partition < epochs.length ? Math.max(0, epochs[partition]) : 0;
    return StreamPlace.id(partition, offset - 1, epoch);
  }

  /**
   * Returns the ends at which the cluster must have had records, by partition; the latest one of
   * each leader's epoch.
   *
   * @param claimed identities of the records
   */
  Map<Integer, Collection<OffsetAndMetadata>> ends(Collection<Long> claimed) {
    Map<Integer, Map<Integer, OffsetAndMetadata>> latest = new HashMap<>();
    for (long id : claimed) {
      int partition = StreamPlace.partition(id);
      int epoch = partition < epochs.length ? epochOf(id, epochs[partition]) : UNKNOWN;
      if (epoch > UNKNOWN) {
        latest
            .computeIfAbsent(partition, any -> new HashMap<>())
            .merge(
                epoch,
                new OffsetAndMetadata(StreamPlace.offset(id) + 1, Optional.of(epoch), ""),
                (a, b) -> a.offset() > b.offset() ? a : b);
      }
    }
    Map<Integer, Collection<OffsetAndMetadata>> ends = new HashMap<>();
    latest.forEach((partition, each) -> ends.put(partition, each.values()));
    return ends;
  }

  /** Returns the epoch of a mark: the one that is closest to the present epoch. */
  private static int epochOf(long id, int present) {
    int unused = Integer.SIZE - StreamPlace.markBits(id);
    return present + (StreamPlace.mark(id) - present << unused >> unused);
  }

  /** Returns the number of the stream, equal on all nodes. */
  int number(KafkaNames.Mapping mapping) {
    return (stream + '/' + mapping.name().toLowerCase(Locale.ROOT)).hashCode();
  }
}
