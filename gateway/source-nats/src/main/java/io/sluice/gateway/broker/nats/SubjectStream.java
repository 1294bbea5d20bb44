package io.sluice.gateway.broker.nats;

import io.nats.client.api.StreamInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.TopicPattern;
import java.time.Instant;
import java.util.List;

/**
 * Stream of JetStream. Immutable, for any thread.
 *
 * @param subjects patterns of the subjects that it stores
 * @param number number of {@link StreamPlace}, from its name and the time of its creation
 * @param keepsNewest whether it limits the messages of each subject, as a bucket of keys does, so
 *     that those of long ago belong to snapshots
 */
record SubjectStream(String name, List<String> subjects, int number, boolean keepsNewest) {
  /** Reads a stream from the description by the server. */
  static SubjectStream of(StreamInfo info) {
    String name = info.getConfiguration().getName();
    Instant created = info.getCreateTime().toInstant();
    int number = 31 * (31 * name.hashCode() + Long.hashCode(created.getEpochSecond()));
    return new SubjectStream(
        name,
        List.copyOf(info.getConfiguration().getSubjects()),
        number + created.getNano(),
        info.getConfiguration().getMaxMsgsPerSubject() > 0);
  }

  /** Returns whether it stores a message of a topic or pattern. */
  boolean stores(String pattern) {
    return subjects.stream()
        .anyMatch(subject -> TopicPattern.intersection(subject, pattern) != null);
  }

  /** Returns whether it stores all messages of a topic or pattern. */
  boolean storesAll(String pattern) {
    return TopicPattern.anyCovers(subjects, pattern);
  }

  /** Returns whether it stores no messages but those of a topic or pattern. */
  boolean storesOnly(String pattern) {
    return subjects.stream().allMatch(subject -> TopicPattern.covers(pattern, subject));
  }

  /**
   * Returns the place at a message; before the first one for sequence 0.
   *
   * @param timeMs time at which the message was stored
   */
  StreamPlace place(long sequence, long timeMs) {
    return new StreamPlace(
        number, sequence == 0 ? new long[0] : new long[] {StoredMessages.id(sequence, timeMs)});
  }
}
