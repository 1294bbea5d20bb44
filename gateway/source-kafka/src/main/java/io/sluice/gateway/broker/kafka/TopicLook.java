package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.StreamPlace;
import java.util.stream.IntStream;

/**
 * State of a Kafka topic at one time. Immutable, for any thread.
 *
 * @param stream ids of cluster and topic; another one if the topic was created again
 * @param compacted whether the newest record of each key is stored
 * @param begins first stored offset of each partition
 * @param ends offset after the last committed record of each partition
 */
record TopicLook(String stream, boolean compacted, long[] begins, long[] ends) {
  /**
   * Returns the place before the records at these offsets.
   *
   * @param keyed mapping of the topic, which is part of the number
   */
  StreamPlace place(boolean keyed, long[] next) {
    long[] ids =
        IntStream.range(0, next.length)
            .filter(partition -> next[partition] > 0)
            .mapToLong(partition -> StreamPlace.id(partition, next[partition] - 1))
            .toArray();
    return new StreamPlace(number(keyed), ids);
  }

  /** Returns the number of the stream, equal on all nodes. */
  int number(boolean keyed) {
    return (stream + (keyed ? "/keyed" : "/plain")).hashCode();
  }
}
