package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * JMS session and the number of consumers on it. It is lent to one thread at a time, because JMS
 * allows only one thread to open and close the consumers of a session. Bound to the control thread,
 * except where a method says otherwise.
 */
final class ConsumerSession {
  private final BrokerConnection connection;
  private final int capacity;

  /** Consumers that are to be closed when it is given back. */
  private final Queue<Closing> closing = new ArrayDeque<>();

  /** Null before the first consumer. Written by the thread to which it is lent. */
  private volatile Session jms;

  /** Consumers on it, the one that is being opened included. */
  private int consumers;

  /** Whether a consumer was opened on it. */
  private boolean used;

  private boolean lent;
  private boolean retired;

  /**
   * Creates one without a JMS session.
   *
   * @param capacity most consumers on it; with 1, it is closed with its consumer
   */
  ConsumerSession(BrokerConnection connection, int capacity) {
    this.connection = connection;
    this.capacity = capacity;
  }

  /** The thread to which it is lent opens the JMS session, unless it is open already. */
  Session open(Provider provider, int acknowledge) throws JMSException {
    if (jms == null) {
      jms = provider.session(connection.jms(), acknowledge);
    }
    return jms;
  }

  /** The JMS session, or null if it is not open. Any thread. */
  Session jms() {
    return jms;
  }

  /** Closes the JMS session alone. Any thread. */
  void closeQuietly() {
    Session open = jms;
    if (open != null) {
      Provider.closeQuietly(open);
    }
  }

  BrokerConnection connection() {
    return connection;
  }

  boolean isShared() {
    return capacity > 1;
  }

  int consumers() {
    return consumers;
  }

  /** Reserves room for a consumer that is to be opened. */
  void addConsumer() {
    consumers++;
  }

  /** The consumer that was to be opened exists. */
  void onOpened() {
    used = true;
  }

  /** Whether a consumer was opened on it before, so that it may have died since. */
  boolean isUsed() {
    return used;
  }

  void removeConsumer() {
    consumers--;
  }

  boolean isLent() {
    return lent;
  }

  void lend(boolean toThread) {
    lent = toThread;
  }

  /** Opens no further consumers on it. */
  void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }

  /** Whether another consumer may be opened on it. */
  boolean hasRoom() {
    return !retired && consumers < capacity;
  }

  /** Closes a consumer when the session is given back. */
  void closeLater(Closing later) {
    closing.add(later);
  }

  /** Removes and returns a consumer to be closed, or null. */
  Closing pollClosing() {
    return closing.poll();
  }
}
