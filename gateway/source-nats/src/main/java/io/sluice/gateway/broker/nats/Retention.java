package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import io.nats.client.api.StreamState;
import io.sluice.gateway.protocol.TopicPattern;
import java.io.IOException;

/**
 * Evidence of the messages that the server has removed from a stream, by limits, a purge or
 * deletion. Immutable, for any thread.
 *
 * <p>The server does not record the subjects of removed messages. A message of the interest is
 * therefore assumed to be missing unless nothing was removed behind the place. An older message of
 * the same topic is evidence, too, because the oldest one is removed first.
 *
 * @param pattern topic or pattern of the interest
 */
record Retention(NatsLink link, SubjectStream stream, String pattern) {
  /** Result of {@link #removedBehind} if no message is missing. */
  static final long NONE = -1;

  private static final int NO_MESSAGE = 10037;

  /**
   * Returns the sequence up to which messages of the interest behind a place may have been removed;
   * the place itself if they are scattered; or {@link #NONE}. Blocks.
   */
  long removedBehind(long place) throws IOException, JetStreamApiException {
    StreamState state = link.management().getStreamInfo(stream.name()).getStreamState();
    long first = state.getFirstSequence();
    boolean fromFront = first > place + 1;
    boolean isComplete =
        state.getLastSequence() <= place
            || !fromFront && (stream.storesOnly(pattern) || state.getDeletedCount() == 0)
            || hasOlder(place);
    return isComplete ? NONE : Math.max(place, first - 1);
  }

  // Consumers that receive all messages of the stream notice a scattered removal by its sequence.
  private boolean hasOlder(long place) throws IOException, JetStreamApiException {
    if (TopicPattern.isPattern(pattern)) {
      return false;
    }
    try {
      return link.management().getFirstMessage(stream.name(), pattern).getSeq() <= place;
    } catch (JetStreamApiException e) {
      if (e.getApiErrorCode() == NO_MESSAGE) {
        return false;
      }
      throw e;
    }
  }
}
