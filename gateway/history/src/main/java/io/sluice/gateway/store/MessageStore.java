package io.sluice.gateway.store;

import java.util.Set;

/** Logs of a node's durable topics and patterns. For any thread except an event loop. */
public interface MessageStore extends AutoCloseable {
  /**
   * Returns the log of a topic or pattern. Opens, recovers or creates it unless it is already open.
   *
   * @throws StoreFailure if the disk fails; a corrupt log is replaced by an empty one instead
   */
  TopicStore topic(String name) throws StoreFailure;

  /** Returns the topics and patterns that have a log, except for logs that are corrupt. */
  Set<String> names();

  /** Returns the bytes of all logs on the disk. */
  long diskBytes();

  /**
   * Syncs and closes all logs.
   *
   * @throws StoreFailure if a log was not closed cleanly; everything is closed nevertheless
   */
  @Override
  void close() throws StoreFailure;
}
