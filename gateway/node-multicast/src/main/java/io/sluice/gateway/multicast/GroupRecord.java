package io.sluice.gateway.multicast;

import java.util.List;

/** Record about a group, on the link of one leaf. Immutable, for any thread. */
sealed interface GroupRecord {
  /**
   * A root permits the leaf to join its group.
   *
   * @param address multicast address
   * @param stream number of the stream
   * @param session session of the root in this stream
   * @param key number of the key
   * @param secret the key
   */
  record Join(String address, int port, int stream, int session, int key, byte[] secret)
      implements GroupRecord {}

  /**
   * The group may carry a log that the leaf has opened.
   *
   * @param ref number of the log on the link
   * @param channel its number in the group; never reused
   * @param epoch epoch of its entries
   */
  record Offer(int ref, int channel, long epoch) implements GroupRecord {}

  /** Logs that the leaf receives by the group, with the latest offset that was sent. */
  record Sent(List<Place> places) implements GroupRecord {}

  /** The leaf receives the group. */
  record Joined() implements GroupRecord {}

  /** The leaf no longer receives the group. */
  record Left(String why) implements GroupRecord {}

  /** Offsets up to which the leaf has entries. */
  record Received(List<Place> places) implements GroupRecord {}

  /** The leaf lacks the entries behind an offset, which follow over its link. */
  record Repair(Place place) implements GroupRecord {}

  /** Offset of a log in the group. */
  record Place(int ref, int channel, long offset) {}
}
