package io.sluice.gateway.journal;

import java.nio.charset.StandardCharsets;

/**
 * State of a topic's log as stored in its database. Immutable and safe for any thread.
 *
 * @param topic the topic or pattern
 * @param running whether a journal has the log open, or terminated without closing it
 * @param first position of the oldest message, or null if there is no message; not part of the head
 * @param end position of the next message; the head has its value from when the log was closed or
 *     became empty, and later messages exceed it
 */
record TopicState(String topic, long epoch, boolean running, LogPosition first, LogPosition end) {

  TopicState running(boolean isRunning) {
    return new TopicState(topic, epoch, isRunning, first, end);
  }

  TopicState between(LogPosition newFirst, LogPosition newEnd) {
    return new TopicState(topic, epoch, running, newFirst, newEnd);
  }

  /** Returns the position of the oldest message, or of the next one if there is none. */
  LogPosition oldest() {
    return first == null ? end : first;
  }

  /** Returns the checksum of the head. */
  long headChecksum() {
    byte[] name = topic.getBytes(StandardCharsets.UTF_8);
    return Checksum.of(
        Checksum.bytes(
            Checksum.of(name),
            epoch,
            running ? 1 : 0,
            end.offset(),
            end.ordinal(),
            end.bytes(),
            end.arrivalMs()));
  }
}
