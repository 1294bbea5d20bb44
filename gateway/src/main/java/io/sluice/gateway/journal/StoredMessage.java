package io.sluice.gateway.journal;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;

/**
 * An entry at its place in a topic's log: a message, or that messages were lost there. Immutable,
 * for any thread.
 *
 * @param offset its number in the log
 * @param arrivalMs when the node received it, milliseconds since 1970 by the node's clock
 * @param message null where messages were lost
 * @param loss why; null if this is a message
 * @param persistent whether the broker keeps it over a restart until somebody has taken it
 */
public record StoredMessage(
    long offset, long arrivalMs, Message message, GapReason loss, boolean persistent) {

  /** A message that the broker keeps. */
  public StoredMessage(long offset, long arrivalMs, Message message) {
    this(offset, arrivalMs, message, null, true);
  }

  /** Messages were lost here. */
  public static StoredMessage loss(long offset, long arrivalMs, GapReason loss) {
    return new StoredMessage(offset, arrivalMs, null, loss, true);
  }
}
