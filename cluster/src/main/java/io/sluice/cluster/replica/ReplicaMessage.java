package io.sluice.cluster.replica;

import java.util.NavigableMap;

/**
 * Message between two replicas of a map, encoded by {@link ReplicaCodec}.
 *
 * @param revision of the sender's entries; for a change, after it
 * @param sync id of the request, increasing; 0 without one
 * @param index number of the part, from 0
 * @param entries in the order of their keys; the value of a removed key is null
 */
record ReplicaMessage<K, V>(
    Kind kind, long revision, long sync, int index, NavigableMap<K, V> entries) {
  /** Kinds in the order of their encoding. */
  enum Kind {
    /** Change of the sender's entries, which applies to the revision before. */
    CHANGE,
    /** Revision of the sender's entries, by which others detect that they missed a change. */
    DIGEST,
    /** Requests all entries of the receiver. */
    REQUEST,
    /** All entries of the sender after the previous part, up to the last key of this one. */
    PART,
    /** All entries of the sender after the previous part. */
    LAST_PART,
    /** Announces that the sender leaves the cluster. */
    LEAVE
  }
}
