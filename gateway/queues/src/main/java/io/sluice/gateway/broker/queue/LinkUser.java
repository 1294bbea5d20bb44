package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.jms.ReplySender;
import io.sluice.gateway.broker.jms.SessionSender;
import java.util.concurrent.Executor;

/** User of the connection for queues. Any thread; no method blocks. */
interface LinkUser {
  /** Environment of a user. Any thread. */
  interface Owner {
    /** Executor of steps. */
    Executor steps();

    long nowNs();

    /** Publisher of replies. */
    ReplySender replies();

    /** Senders of the messages of transactions. */
    SessionSender.Factory senders();

    /** Returns the delays of one user, before its first failure. */
    Backoff backoff();

    /** Runs a task after the next delay. */
    void later(Backoff backoff, Runnable task);

    /** The user has ended. */
    void remove(LinkUser ended);
  }

  /** Returns the {@linkplain io.sluice.gateway.broker.Requester#user user} that it serves. */
  String user();

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
