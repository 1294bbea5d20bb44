package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.Message;

/**
 * A message accepted by the broker.
 *
 * @param number publisher's count, from 0
 * @param sequence the broker's number of the message
 * @param acceptedMicros time at which the publisher began to send it
 * @param forwardable whether nodes forward messages of its kind
 * @param persistent whether the broker stores it on disk
 * @param priority JMS priority
 */
record Published(
    int publisher,
    int number,
    long sequence,
    long acceptedMicros,
    boolean forwardable,
    boolean persistent,
    int priority,
    Message message) {
  String topic() {
    return message.topic();
  }

  /** Returns the same with its message as a node receives it. */
  Published as(Message received) {
    return new Published(
        publisher, number, sequence, acceptedMicros, forwardable, persistent, priority, received);
  }

  /** Returns whether snapshots have nothing of its slot until the next message. */
  boolean isRemoval() {
    return message.isRemoval();
  }

  /**
   * Returns the slot within which a newer message supersedes this one: its topic, or its key within
   * the topic.
   */
  String slot() {
    return message.key() == null ? topic() : topic() + '/' + message.key();
  }

  @Override
  public String toString() {
    return "p" + publisher + "#" + number + (isRemoval() ? " removes " : " of ") + slot();
  }
}
