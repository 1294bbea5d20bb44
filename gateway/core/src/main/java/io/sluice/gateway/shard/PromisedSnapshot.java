package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.List;

/**
 * Snapshot announced by replies, which precedes the live stream and which the log alone cannot
 * provide. Shared by subscriptions of one topic. Bound to the shard's event loop.
 */
final class PromisedSnapshot {
  private static final int OVERHEAD = 64;
  private static final int BYTES_PER_MESSAGE = 8;

  /** Offset up to which these messages are the newest. */
  final long offset;

  /** Reason of a loss after the oldest message, or null. A gap then follows the messages. */
  final GapReason loss;

  /** Null once it was cut. */
  private List<LogEntry> messages;

  private final long bytes;

  /** Time at which the first of the messages expires, in milliseconds since 1970. */
  final long expiresMs;

  /** Number of subscriptions that still use it; only {@link PromisedSnapshots} changes it. */
  int users;

  PromisedSnapshot(List<LogEntry> messages, long offset, GapReason loss) {
    this(messages, offset, loss, 0);
  }

  private PromisedSnapshot(
      List<LogEntry> messages, long offset, GapReason loss, long messageBytes) {
    this.messages = messages;
    this.offset = offset;
    this.loss = loss;
    this.bytes = OVERHEAD + (long) BYTES_PER_MESSAGE * messages.size() + messageBytes;
    this.expiresMs =
        messages.stream()
            .mapToLong(each -> each.message().expiresMs())
            .filter(expiresMs -> expiresMs != Message.NO_EXPIRY)
            .min()
            .orElse(Long.MAX_VALUE);
  }

  /**
   * Creates a replay of messages that the log may not have; their bytes count, too.
   *
   * @param users number of replays with some of these messages, which share the bytes
   */
  static PromisedSnapshot ofMessages(List<LogEntry> messages, long offset, int users) {
    long messageBytes = 0;
    for (LogEntry message : messages) {
      messageBytes += message.size();
    }
    return new PromisedSnapshot(messages, offset, null, messageBytes / users);
  }

  List<LogEntry> messages() {
    return messages;
  }

  int size() {
    return messages.size();
  }

  /**
   * Returns the announced number of messages. A gap that follows counts as one, because the client
   * has no position before it.
   */
  int announced() {
    return messages.size() + (loss == null ? 0 : 1);
  }

  /** Returns the approximate bytes of the list, without messages that the log has. */
  long bytes() {
    return bytes;
  }

  /** Returns whether it was cut to free memory; its remaining messages are then a gap. */
  boolean isCut() {
    return messages == null;
  }

  /** Releases the list. */
  void cut() {
    messages = null;
  }
}
