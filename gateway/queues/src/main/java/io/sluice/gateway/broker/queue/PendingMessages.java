package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.queue.PendingMessage.State;
import io.sluice.gateway.metrics.QueueMeters;
import io.sluice.gateway.protocol.Destination;
import jakarta.jms.Message;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** Unsettled messages of one consumer. Bound to its executor, except {@link #isOverdue}. */
final class PendingMessages {
  private static final long NONE = Long.MAX_VALUE;

  private final QueueMeters meters;
  private final TreeMap<Long, PendingMessage> byTag = new TreeMap<>();
  private long lastTag;
  private int released;
  private long bytes;

  /** Earliest time limit of a message; {@link #NONE} without one. */
  private volatile long deadlineNs = NONE;

  PendingMessages(QueueMeters meters) {
    this.meters = meters;
  }

  /** Returns the tag of the next message. */
  long nextTag() {
    return lastTag + 1;
  }

  /**
   * Adds a delivered message.
   *
   * @param replyTo destination for replies, or null
   */
  void add(Message message, int size, Destination replyTo, long limitNs) {
    lastTag++;
    byTag.put(lastTag, new PendingMessage(lastTag, message, size, replyTo, limitNs));
    bytes += size;
    updateDeadline();
    meters.pending(1);
  }

  int size() {
    return byTag.size();
  }

  long bytes() {
    return bytes;
  }

  /** Returns the number of messages that are not released. */
  int unreleased() {
    return byTag.size() - released;
  }

  boolean hasReleased() {
    return released > 0;
  }

  /** Returns whether a release can end the delivery of all messages. */
  boolean areAllReleased() {
    return released > 0 && released == byTag.size();
  }

  /** Returns the messages that the client can settle: one, or all up to it. */
  List<PendingMessage> find(long tag, boolean upTo) {
    if (tag > lastTag) {
      return List.of();
    }
    Collection<PendingMessage> covered =
        (upTo ? byTag.headMap(tag, true) : byTag.subMap(tag, true, tag, true)).values();
    return covered.stream().filter(message -> message.state == State.PENDING).toList();
  }

  void release(PendingMessage message) {
    message.state = State.RELEASED;
    released++;
  }

  /** Returns whether the time limit of a message is over. Any thread. */
  boolean isOverdue(long nowNs) {
    return deadlineNs != NONE && nowNs - deadlineNs >= 0;
  }

  /** Returns the messages whose time limit is over. */
  List<PendingMessage> overdue(long nowNs) {
    return byTag.values().stream()
        .filter(message -> message.state == State.PENDING && nowNs - message.deadlineNs >= 0)
        .toList();
  }

  /** Applies changes of messages to the earliest time limit. */
  void updateDeadline() {
    deadlineNs =
        byTag.values().stream()
            .filter(message -> message.state == State.PENDING)
            .mapToLong(message -> message.deadlineNs)
            .findFirst()
            .orElse(NONE);
  }

  /** Removes a settled message, unless it was rejected by the node. */
  void remove(PendingMessage settled) {
    if (byTag.remove(settled.tag) != null) {
      bytes -= settled.bytes;
      meters.pending(-1);
    }
  }

  /** Removes all messages: their delivery has ended. */
  void clear() {
    meters.pending(-byTag.size());
    byTag.clear();
    bytes = 0;
    released = 0;
    deadlineNs = NONE;
  }

  /** Returns all messages in the order of their delivery. */
  List<Message> messages() {
    return byTag.values().stream().map(each -> each.message).toList();
  }
}
