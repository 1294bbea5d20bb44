package io.sluice.gateway.sim;

/**
 * Rules of docs/PROTOCOL.md, section 8, that a client or an operator can violate, and those of
 * compression.
 */
enum Rule {
  /** A client remembers the identities of its latest messages and drops duplicates. */
  REMEMBERS_IDENTITIES,
  /** The offset of a position belongs to the epoch of the same answer. */
  OFFSET_OF_THE_EPOCH,
  /** A gap moves the offset of the position. */
  GAP_MOVES_OFFSET,
  /** A gap moves the time before which the client needs no message. */
  GAP_MOVES_SINCE,
  /**
   * Within a replay the position follows the replayed messages and is not at the end of the replay.
   */
  REPLAY_MOVES_OFFSET,
  /** A client omits the caught-up time once it no longer remembers all later identities. */
  TIME_IS_REMEMBERED,
  /** A client notifies the application when not all messages were recovered. */
  REPORTS_UNRECOVERED,
  /** A client whose position was not recovered requests snapshots until one is complete. */
  UNRECOVERED_ENDS_POSITION,
  /** A client notifies the application of a gap that ends a snapshot. */
  REPORTS_OUTDATED_SNAPSHOT,
  /** The operator's {@code resume.spread} covers what two nodes see in different orders. */
  SPREAD_COVERS_REORDERING,
  /** The operator's {@code resume.margin} covers how much the clocks differ. */
  MARGIN_COVERS_CLOCKS,
  /** A proof of delivery excludes topics that lag behind the canary. */
  PROOF_PER_INTEREST,
  /** A proof of delivery requires a second canary, until which a lagging topic is detected. */
  PROOF_OF_TWO_CANARIES,
  /** A replay for a position of another node never starts at a message that may have overtaken. */
  OVERTAKING_STARTS_NO_REPLAY,
  /** A connection stays congested for some time, in which a lagging topic may not be detectable. */
  CONGESTION_HOLDS,
  /**
   * The identity of a message includes its topic, because a broker forwards copies under one id.
   */
  IDENTITY_PER_TOPIC,
  /** A node recovers positions of other nodes only if they have the messages under the same ids. */
  IDENTITY_VERIFIED,
  /** A message that repeats an id is another message, not a duplicate. */
  REPEATED_IS_ANOTHER,
  /** A node announces messages to the others that were sent long before their delivery. */
  LATE_DELIVERY_IS_REPORTED,
  /** A node that receives such an announcement too late announces the topic again. */
  OVERDUE_IS_ANNOUNCED_AGAIN,
  /** A node reports a gap when the broker reports a discarded message. */
  DISCARD_IS_REPORTED,
  /** It also reports a gap between the messages before and after the discarded one. */
  DISCARD_IS_REPORTED_IN_PLACE,
  /** A scheduled message is no evidence of a backlog. */
  ONLY_BACKLOG_IS_LAG,
  /** A position whose time no clock has reached is resumed only at the log that issued it. */
  FUTURE_IS_REFUSED,
  /** A node compares no wall-clock times from before a step of its clock. */
  STEP_ENDS_COMPARISON,
  /** A snapshot from before a loss ends with a gap. */
  SNAPSHOT_ENDS_AT_LOSS,
  /** A caught-up time covers no message that the node holds for the client. */
  HELD_IS_NOT_CAUGHT_UP,
  /** A leaf begins another stream when it follows another log. */
  ANOTHER_ROOT_IS_ANOTHER_STREAM,
  /** The logs of two roots have streams with different numbers. */
  ROOTS_HAVE_SEPARATE_STREAMS,
  /** A root that has restarted without a journal has other epochs. */
  RESTART_HAS_ANOTHER_EPOCH,
  /** A message that a leaf lacks and that its root has evicted is a gap. */
  EVICTED_IS_REPORTED,
  /** A leaf has the gaps of the log of its root. */
  GAP_IS_PASSED_ON,
  /** A link that is open again continues behind the last entry of the leaf. */
  LINK_REPEATS_NOTHING,
  /** It begins with the next one. */
  LINK_LEAVES_OUT_NOTHING,
  /** Clients receive the gap of another stream behind all messages that its log has by then. */
  LOG_PRECEDES_GAP,
  /** A leaf relies on places only if the source of its root has their messages. */
  SOURCE_CONFIRMS_PLACES_OF_LEAVES,
  /** A root sends a leaf all stored messages that it requests, or none. */
  ROOT_READS_BACK_ALL,
  /** The position of an ordered source has the highest id of each partition. */
  POSITION_IS_OF_EACH_PARTITION,
  /** It has the ids of the answer, unless a position was recovered. */
  ANSWER_BEGINS_POSITION,
  /** The ids of a recovered position remain during its replay. */
  RECOVERED_KEEPS_POSITION,
  /** A client drops messages up to its position, which a node that is behind sends. */
  EARLIER_IS_DROPPED,
  /** The ids of the position remain at a gap. */
  GAP_KEEPS_IDS,
  /** Those of a gap with an epoch replace them: another stream begins. */
  GAP_BEGINS_STREAM,
  /** An ordered source announces the place before the first message. */
  PLACE_PRECEDES_MESSAGES,
  /** A stream that was created again has another number. */
  STREAM_IS_NUMBERED,
  /** A new partition is read from its first message. */
  PARTITION_BEGINS_AT_FIRST,
  /** A node reports messages that the source removed before it read them. */
  REMOVAL_IS_REPORTED,
  /** A loss has the place of the latest message that is missing. */
  LOSS_HAS_A_PLACE,
  /** A read of stored messages returns all of them, or none. */
  READ_BACK_IS_COMPLETE,
  /** Two messages that the source has stored at one offset have different marks. */
  MARK_DISTINGUISHES_MESSAGES,
  /** A position that names messages which the source has lost is not recovered. */
  LOST_MESSAGE_ENDS_POSITION,
  /** A message refers to the previous one of its stream, which the client received compressed. */
  NEXT_FOLLOWS_PREVIOUS,
  /** No compressed message of another stream is between them. */
  NEXT_FOLLOWS_NO_OTHER_STREAM,
  /** A client retains the latest message of each stream, with which the next one is compressed. */
  RETAINS_EACH_MESSAGE,
  /** A client distinguishes the messages of the streams. */
  RETAINS_PER_STREAM;

  /** Returns whether it is one of links between nodes. */
  boolean isOfTiers() {
    return compareTo(ANOTHER_ROOT_IS_ANOTHER_STREAM) >= 0 && compareTo(ROOT_READS_BACK_ALL) <= 0;
  }

  /** Returns whether it is one of ordered sources. */
  boolean isOfOrder() {
    return compareTo(SOURCE_CONFIRMS_PLACES_OF_LEAVES) >= 0 && !isOfCompression();
  }

  /** Returns whether it is one of sources that assign offsets again. */
  boolean isOfTruncation() {
    return this == SOURCE_CONFIRMS_PLACES_OF_LEAVES
        || this == MARK_DISTINGUISHES_MESSAGES
        || this == LOST_MESSAGE_ENDS_POSITION;
  }

  /** Returns whether only a client with compression detects a violation. */
  boolean isOfCompression() {
    return ordinal() >= NEXT_FOLLOWS_PREVIOUS.ordinal();
  }
}
