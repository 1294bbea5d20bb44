package io.sluice.gateway.journal;

import java.nio.charset.StandardCharsets;

/**
 * What a topic's database says about its log as a whole. Immutable, for any thread.
 *
 * @param topic the topic or pattern
 * @param running whether a journal has it open, or ended without closing it
 * @param end where the log ended when it was closed or became empty; later messages go further
 */
record TopicHead(String topic, long epoch, boolean running, Mark end) {

  TopicHead running(boolean isRunning) {
    return new TopicHead(topic, epoch, isRunning, end);
  }

  TopicHead endingAt(Mark mark) {
    return new TopicHead(topic, epoch, running, mark);
  }

  long checksum() {
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
