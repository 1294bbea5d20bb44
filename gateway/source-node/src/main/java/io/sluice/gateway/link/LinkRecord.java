package io.sluice.gateway.link;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.Set;

/**
 * Record of a link between two nodes. A frame of the link contains one or more of them. The node
 * that serves a log is the root of the link, the other one its leaf. Immutable, for any thread.
 */
public sealed interface LinkRecord {
  /**
   * First record of each side.
   *
   * @param version version of this protocol
   * @param isRoot whether the node serves its logs on this link
   * @param node name of the node
   * @param path instances of all nodes from which a root receives messages, itself first; only
   *     itself of a leaf
   * @param tiers number of nodes from the broker to a root; 0 of a leaf
   * @param capabilities names of the optional records that the node handles; a node ignores unknown
   *     names, and sends no record whose name the other node lacks
   */
  record Hello(
      int version,
      boolean isRoot,
      String node,
      List<String> path,
      int tiers,
      List<String> capabilities)
      implements LinkRecord {}

  /**
   * State of the root's sources; sent after the hello and with each change.
   *
   * @param lost names of the lost sources
   * @param features those of queues that the leaf can use; empty without queues
   * @param text states of all sources in words
   */
  record State(List<String> lost, Set<Feature> features, String text) implements LinkRecord {}

  /**
   * Topics that clients or leaves of the root use; sent after the hello.
   *
   * @param names {@linkplain InterestKey#name names} of interests
   */
  record Used(List<String> names) implements LinkRecord {}

  /**
   * Opens the log of a topic or pattern.
   *
   * @param ref number of the log on this link
   * @param epoch epoch of the log that the leaf has; 0 without one
   * @param offset its latest offset
   * @param reached place of the latest messages that the leaf has; null before the first log
   */
  record Open(int ref, InterestKey key, long epoch, long offset, StreamPlace reached)
      implements LinkRecord {}

  /** Ends a log. */
  record Close(int ref) implements LinkRecord {}

  /** Permits the root to send entries of a log with further bytes. */
  record Credit(int ref, int bytes) implements LinkRecord {}

  /**
   * Entries of a log follow. After others, this is a gap.
   *
   * @param offset offset after which all entries follow; messages for snapshots have lower ones
   * @param place place of this offset; null if the entries follow those that the leaf has
   * @param isConfirmed whether the source has the messages up to the place that the leaf has
   *     reached, so that the entries up to it are those of the leaf
   */
  record Begin(int ref, long epoch, long offset, StreamPlace place, boolean isConfirmed)
      implements LinkRecord {}

  /**
   * Requests whether the source has messages that clients of the leaf have received.
   *
   * @param number number of the request
   * @param claimed the latest messages of these clients
   */
  record Confirm(int ref, int number, StreamPlace claimed) implements LinkRecord {}

  /**
   * Answer to {@link Confirm}, which follows the entries up to the messages, or end of a {@link
   * Read}.
   *
   * @param problem why that is not known; null if the source has the messages, or all were sent
   */
  record Confirmed(int ref, int number, String problem) implements LinkRecord {}

  /**
   * Requests messages that the root's log or its source has stored. Capability {@code read-back}.
   * {@link Stored} messages follow, those of a partition in order, then a {@link Confirmed}.
   *
   * @param number number of the request
   * @param after place before the first message
   * @param upTo place at the last message
   * @param claimed the latest messages of the clients that need them
   * @param maxMessages number of messages above which the root sends none
   * @param maxBytes bytes of payloads above which the root sends none
   */
  record Read(
      int ref,
      int number,
      StreamPlace after,
      StreamPlace upTo,
      StreamPlace claimed,
      int maxMessages,
      long maxBytes)
      implements LinkRecord {}

  /** A message that a {@link Read} has requested. */
  record Stored(int ref, int number, Message message) implements LinkRecord {}

  /**
   * A message of a log.
   *
   * @param message its identity is that of a source with offsets
   */
  record Entry(int ref, long offset, Message message) implements LinkRecord {}

  /**
   * A gap of a log, which ends at its offset.
   *
   * @param identity identity of the latest missing message
   */
  record Gap(int ref, long offset, long identity, GapReason reason) implements LinkRecord {}

  /** All entries that the log had when it was opened were sent. */
  record Live(int ref) implements LinkRecord {}

  /**
   * State of the entries that the root has not sent. Capability {@code lag}.
   *
   * @param messages their number
   * @param ageMs time since the arrival of the oldest one at the root
   */
  record Lag(long messages, long ageMs) implements LinkRecord {}

  /** The root refuses a log, which is closed. */
  record Refused(int ref, ErrorCode code, String why) implements LinkRecord {}

  /**
   * Publishes the message of a client.
   *
   * @param ref number of the publish on this link
   * @param user key of the client's user at the leaf
   * @param sequence publishes with equal numbers are sent in order
   */
  record Publish(int ref, String user, int sequence, Publication publication)
      implements LinkRecord {}

  /** The broker has accepted a publish. */
  record Published(int ref) implements LinkRecord {}

  /** The root or its broker has refused a publish, or did not confirm it. */
  record PublishRefused(int ref, ErrorCode code, String why) implements LinkRecord {}

  /**
   * A record of queues or requests.
   *
   * @param body the record in the form of {@link LinkQueues}
   */
  record OfQueues(byte[] body) implements LinkRecord {}

  /**
   * A message of presence, if the capabilities of both nodes have {@link LinkPeer#PRESENCE}.
   *
   * @param body the message in the form of {@link LinkExchange}
   */
  record OfPresence(byte[] body) implements LinkRecord {}

  /** The same for revocations, with {@link LinkPeer#REVOCATIONS}. */
  record OfRevocations(byte[] body) implements LinkRecord {}

  /**
   * A record of the one-to-many transport.
   *
   * @param body the record in the form of {@link LinkGroup}'s module
   */
  record OfGroup(byte[] body) implements LinkRecord {}
}
