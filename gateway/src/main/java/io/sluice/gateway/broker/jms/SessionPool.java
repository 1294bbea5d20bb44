package io.sluice.gateway.broker.jms;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Pool of the sessions of one set of connections that have capacity for more consumers. Bound to
 * the control thread.
 */
final class SessionPool {
  private final int capacity;
  private final int spare;
  private final Map<BrokerConnection, Set<ConsumerSession>> free = new HashMap<>();

  /**
   * Creates a pool without sessions.
   *
   * @param capacity maximum number of consumers of a shared session
   * @param spare number of a connection's sessions that remain open without consumers
   */
  SessionPool(int capacity, int spare) {
    this.capacity = capacity;
    this.spare = spare;
  }

  /** Borrows a session for one more consumer. */
  ConsumerSession borrow(BrokerConnection connection, boolean dedicated) {
    ConsumerSession session = dedicated ? new ConsumerSession(connection, 1) : pollFree(connection);
    session.setBorrowed(true);
    session.addConsumer();
    return session;
  }

  private ConsumerSession pollFree(BrokerConnection connection) {
    Iterator<ConsumerSession> sessions = free(connection).iterator();
    if (!sessions.hasNext()) {
      return new ConsumerSession(connection, capacity);
    }
    ConsumerSession session = sessions.next();
    sessions.remove();
    return session;
  }

  private Set<ConsumerSession> free(BrokerConnection connection) {
    return free.computeIfAbsent(connection, any -> new LinkedHashSet<>());
  }

  /**
   * Borrows a session to close one of its consumers.
   *
   * @return whether the session has to be closed with the consumer
   */
  boolean borrowToClose(ConsumerSession session) {
    Set<ConsumerSession> others = free(session.connection());
    others.remove(session);
    session.setBorrowed(true);
    boolean last =
        session.consumers() == 1
            && (!session.isShared() || session.isRetired() || others.size() >= spare);
    if (last) {
      session.retire();
    }
    return last;
  }

  /** Excludes a session from further consumers. */
  void retire(ConsumerSession session) {
    session.retire();
    free(session.connection()).remove(session);
  }

  /** Returns a session to the pool. */
  void release(ConsumerSession session) {
    session.setBorrowed(false);
    if (session.hasCapacity()) {
      free(session.connection()).add(session);
    }
  }
}
