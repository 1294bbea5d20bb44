package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamState;
import io.sluice.gateway.broker.StreamPlace;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/**
 * Comparison of received messages with those that the server has stored at their sequences. A
 * stream that is restored, or whose server has crashed, may lack the latest ones and assign their
 * sequences again, to messages with later times. Immutable, for any thread; methods block.
 */
record StoredMessages(NatsLink link, SubjectStream stream) {
  private static final int NO_MESSAGE = 10037;

  /** Milliseconds of a unit of marks, as a power of two. */
  private static final int UNIT = 7;

  /**
   * Returns the identity of a message.
   *
   * @param timeMs time at which it was stored
   */
  static long id(long sequence, long timeMs) {
    return StreamPlace.id(0, sequence, timeMs >> UNIT);
  }

  /** Returns whether a message up to a sequence was stored after a time. */
  boolean hasLater(long sequence, long timeMs) throws IOException, JetStreamApiException {
    String name = link.connection().createInbox().replaceAll("\\W", "");
    Instant start = Instant.ofEpochMilli(timeMs + 1);
    long before =
        link.management()
            .createConsumer(
                stream.name(),
                ConsumerConfiguration.builder()
                    .name(name)
                    .deliverPolicy(DeliverPolicy.ByStartTime)
                    .startTime(ZonedDateTime.ofInstant(start, ZoneOffset.UTC))
                    .ackPolicy(AckPolicy.None)
                    .memStorage(true)
                    .numReplicas(1)
                    .build())
            .getDelivered()
            .getStreamSequence();
    link.send("$JS.API.CONSUMER.DELETE.%s.%s".formatted(stream.name(), name), null, null);
    return before < sequence;
  }

  /** Returns whether the server has had a message, as far as its present ones show. */
  boolean has(long id) throws IOException, JetStreamApiException {
    long sequence = StreamPlace.offset(id);
    StreamState state = link.management().getStreamInfo(stream.name()).getStreamState();
    if (sequence > state.getLastSequence()) {
      return false;
    }
    MessageInfo stored = stored(sequence);
    if (stored != null) {
      return id(sequence, ms(stored.getTime())) == id;
    }
    if (sequence < state.getFirstSequence()) {
      return true;
    }
    return !hasLater(sequence, latestMs(id, ms(state.getLastTime())));
  }

  /** Returns the time of the latest message. */
  long latestMs() throws IOException, JetStreamApiException {
    return ms(link.management().getStreamInfo(stream.name()).getStreamState().getLastTime());
  }

  /** Returns the latest time of a message's mark that is not above a limit. */
  private static long latestMs(long id, long limitMs) {
    long mask = (1L << StreamPlace.markBits(id)) - 1;
    long unit = limitMs >> UNIT;
    return (unit - (unit - StreamPlace.mark(id) & mask) + 1 << UNIT) - 1;
  }

  private MessageInfo stored(long sequence) throws IOException, JetStreamApiException {
    try {
      return link.management().getMessage(stream.name(), sequence);
    } catch (JetStreamApiException e) {
      if (e.getApiErrorCode() == NO_MESSAGE) {
        return null;
      }
      throw e;
    }
  }

  /** Returns a time in milliseconds since 1970. */
  static long ms(ZonedDateTime time) {
    return time.toInstant().toEpochMilli();
  }
}
