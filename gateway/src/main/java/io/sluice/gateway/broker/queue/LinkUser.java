package io.sluice.gateway.broker.queue;

/** User of the connection for queues. Any thread; no method blocks. */
interface LinkUser {
  /** The connection is established. */
  void onConnected(QueueLink link);

  /** The connection is lost, or could not be established. */
  void onLost(String why);

  /** Checks time limits; called periodically. */
  void check(long nowNs);

  /** Returns whether a call of this user exceeds its time limit. */
  boolean isOverdue(long nowNs);

  /** Ends this user. */
  void close();

  /** Ends this user before its connection is closed. */
  default void stop() {
    close();
  }
}
