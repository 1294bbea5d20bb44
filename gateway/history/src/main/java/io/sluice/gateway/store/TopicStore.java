package io.sluice.gateway.store;

import java.util.List;

/** Stored log of a durable topic or pattern. For any thread except an event loop. */
public interface TopicStore {
  /**
   * Returns the random number assigned when this log was created. It survives a restart of the node
   * and changes when synced messages are lost. Offsets of another epoch are invalid here.
   */
  long epoch();

  /** Returns the result of opening this log. */
  Recovery recovery();

  /** Returns the offset that the next message must have. */
  long nextOffset();

  /** Returns the number of messages since the log was created, including dropped ones. */
  long appended();

  /**
   * Appends a message. It is visible to readers at once, but durable only when {@link #sync} has
   * returned.
   *
   * @param message a message with the offset {@link #nextOffset}
   * @throws StoreFailure if pending bytes exceed their limit and cannot be written; the message is
   *     not appended
   */
  void append(StoredMessage message) throws StoreFailure;

  /** Makes all appended messages durable. */
  void sync() throws StoreFailure;

  /** Returns stored messages from an offset on, in order. */
  List<StoredMessage> read(long fromOffset, int maxMessages) throws StoreFailure;

  /** Returns the offset of the first of the latest messages. */
  long offsetOfLatest(int count) throws StoreFailure;

  /** Deletes the log with its files. */
  void delete() throws StoreFailure;
}
