package io.sluice.gateway.journal;

import java.nio.charset.StandardCharsets;

/**
 * State of a topic's log as its database holds it. Immutable, for any thread.
 *
 * @param topic the topic or pattern
 * @param running whether a journal has the log open, or ended without closing it
 * @param first place of the oldest message, or null if there is no message; not part of the head
 * @param end place of the next message. The head holds it as of the moment when the log was closed
 *     or became empty; later messages go further.
 */
record TopicState(String topic, long epoch, boolean running, Mark first, Mark end) {

  TopicState running(boolean isRunning) {
    return new TopicState(topic, epoch, isRunning, first, end);
  }

  TopicState between(Mark newFirst, Mark newEnd) {
    return new TopicState(topic, epoch, running, newFirst, newEnd);
  }

  /** Returns the place of the oldest message, or of the next one if there is none. */
  Mark oldest() {
    return first == null ? end : first;
  }

  /** Checksum of the head. */
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
