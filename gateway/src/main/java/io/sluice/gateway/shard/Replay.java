package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import java.util.List;

/**
 * The messages that answers have promised ahead of the live stream, where the log alone cannot
 * bring them: a snapshot. Shared by subscriptions of one topic. Bound to the shard's event loop.
 */
final class Replay {
  private static final int OVERHEAD = 64;
  private static final int BYTES_A_MESSAGE = 8;

  /** The offset as of which these messages are the newest. */
  final long offset;

  /** Null once it was cut off. */
  private List<LogEntry> messages;

  private final long bytes;

  /** Subscriptions that have not been sent all of it; only {@link Replays} changes it. */
  int users;

  Replay(List<LogEntry> messages, long offset) {
    this.messages = messages;
    this.offset = offset;
    this.bytes = OVERHEAD + (long) BYTES_A_MESSAGE * messages.size();
  }

  List<LogEntry> messages() {
    return messages;
  }

  int size() {
    return messages.size();
  }

  /** Bytes of the list, roughly, without the messages. */
  long bytes() {
    return bytes;
  }

  /** Whether it had to make room: what is left of it is a gap. */
  boolean isCut() {
    return messages == null;
  }

  void cut() {
    messages = null;
  }
}
