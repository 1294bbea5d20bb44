package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.Message;

/**
 * A message that the broker has accepted.
 *
 * @param number the publisher's own count, from 0
 * @param sequence the broker's number of the message
 * @param acceptedMicros when the publisher began to send it
 * @param forwardable whether nodes forward messages of its kind
 * @param persistent whether the broker has it on its disk
 */
record Published(
    int publisher,
    int number,
    long sequence,
    long acceptedMicros,
    boolean forwardable,
    boolean persistent,
    Message message) {
  String topic() {
    return message.topic();
  }

  /** What a newer message takes the place of: its topic, or its key within the topic. */
  String slot() {
    return message.key() == null ? topic() : topic() + '/' + message.key();
  }

  @Override
  public String toString() {
    return "p" + publisher + "#" + number + " of " + slot();
  }
}
