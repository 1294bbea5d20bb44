package io.sluice.gateway.store;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;

/**
 * Entry of a topic's log on the disk: a message or a gap marker. Immutable and safe for any thread.
 *
 * @param offset offset in the log
 * @param arrivalMs arrival at the node, in milliseconds since 1970 by the node's clock
 * @param message the message; null for a gap marker
 * @param gapReason reason of the gap; null for a message
 * @param persistent whether the broker stores the message over a restart until it is acknowledged
 */
public record StoredMessage(
    long offset, long arrivalMs, Message message, GapReason gapReason, boolean persistent) {

  /** Creates the entry of a persistent message. */
  public StoredMessage(long offset, long arrivalMs, Message message) {
    this(offset, arrivalMs, message, null, true);
  }

  /** Creates a gap marker. */
  public static StoredMessage gap(long offset, long arrivalMs, GapReason reason) {
    return new StoredMessage(offset, arrivalMs, null, reason, true);
  }
}
