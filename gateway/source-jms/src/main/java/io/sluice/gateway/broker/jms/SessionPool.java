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
    Iterator<ConsumerSession> sessions = free.getOrDefault(connection, Set.of()).iterator();
    if (!sessions.hasNext()) {
      return new ConsumerSession(connection, capacity);
    }
    ConsumerSession session = sessions.next();
    remove(session);
    return session;
  }

  /** Removes a session if it is free. Returns the number of the others of its connection. */
  private int remove(ConsumerSession session) {
    Set<ConsumerSession> sessions = free.get(session.connection());
    if (sessions == null) {
      return 0;
    }
    sessions.remove(session);
    if (sessions.isEmpty()) {
      free.remove(session.connection());
    }
    return sessions.size();
  }

  /**
   * Borrows a session to close one of its consumers.
   *
   * @return whether the session has to be closed with the consumer
   */
  boolean borrowToClose(ConsumerSession session) {
    int others = remove(session);
    session.setBorrowed(true);
    boolean last =
        session.consumers() == 1 && (!session.isShared() || session.isRetired() || others >= spare);
    if (last) {
      session.retire();
    }
    return last;
  }

  /** Excludes a session from further consumers. */
  void retire(ConsumerSession session) {
    session.retire();
    remove(session);
  }

  /** Returns a session to the pool. */
  void release(ConsumerSession session) {
    session.setBorrowed(false);
    if (session.hasCapacity()) {
      free.computeIfAbsent(session.connection(), any -> new LinkedHashSet<>()).add(session);
    }
  }
}
