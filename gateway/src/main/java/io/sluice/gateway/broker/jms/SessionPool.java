package io.sluice.gateway.broker.jms;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Sessions of one set of connections that have room for more consumers. Bound to the control
 * thread.
 */
final class SessionPool {
  private final int capacity;
  private final int spare;
  private final Map<BrokerConnection, Set<ConsumerSession>> free = new HashMap<>();

  /**
   * Creates one without sessions.
   *
   * @param capacity most consumers on a shared session
   * @param spare sessions of a connection that stay open without consumers
   */
  SessionPool(int capacity, int spare) {
    this.capacity = capacity;
    this.spare = spare;
  }

  /** Lends a session for one more consumer. */
  ConsumerSession lend(BrokerConnection connection, boolean dedicated) {
    ConsumerSession session = dedicated ? new ConsumerSession(connection, 1) : pollFree(connection);
    session.lend(true);
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
   * Lends a session for closing one of its consumers.
   *
   * @return whether the session has to be closed with the consumer
   */
  boolean lendToClose(ConsumerSession session) {
    Set<ConsumerSession> others = free(session.connection());
    others.remove(session);
    session.lend(true);
    boolean last =
        session.consumers() == 1
            && (!session.isShared() || session.isRetired() || others.size() >= spare);
    if (last) {
      session.retire();
    }
    return last;
  }

  /** Lends a session for no further consumers. */
  void retire(ConsumerSession session) {
    session.retire();
    free(session.connection()).remove(session);
  }

  /** Takes a session back. */
  void giveBack(ConsumerSession session) {
    session.lend(false);
    if (session.hasRoom()) {
      free(session.connection()).add(session);
    }
  }
}
