package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.StreamPlace;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

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
   * Returns the place before the records at these offsets.
   *
   * @param route partitions of the place; its mapping is part of the number
   * @param reused identities that are assigned again, as in {@link StreamPlace}
   */
  StreamPlace place(KafkaNames.Route route, long[] next, long[] reused) {
    long[] ids =
        IntStream.range(0, next.length)
            .filter(partition -> route.covers(partition) && next[partition] > 0)
            .mapToLong(partition -> StreamPlace.id(partition, next[partition] - 1))
            .toArray();
    boolean whole = !route.isKeyed(); // patterns of keyed topics leave out records without a key
    return new StreamPlace(number(route.mapping()), ids, reused, whole);
  }

  /** Returns the number of the stream, equal on all nodes. */
  int number(KafkaNames.Mapping mapping) {
    return (stream + '/' + mapping.name().toLowerCase(Locale.ROOT)).hashCode();
  }
}
