package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.provider.Provider;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * JMS session and the number of its consumers. One thread at a time borrows it, because JMS permits
 * only one thread to open and close the consumers of a session. Bound to the control thread, except
 * where a method states otherwise.
 */
final class ConsumerSession {
  /** Consumer that is to be closed or is being closed. Bound to the control thread. */
  static final class Closing extends CallSlots.Call {
    final OpenedConsumer consumer;

    /** True if the consumer exists at the broker, as far as the node was notified. */
    final boolean counted;

    Closing(OpenedConsumer consumer, boolean counted) {
      super(consumer.session().connection());
      this.consumer = consumer;
      this.counted = counted;
    }
  }

  private final BrokerConnection connection;
  private final int capacity;

  /** Consumers that are to be closed when the session is released. */
  private final Queue<Closing> closing = new ArrayDeque<>();

  /** Null before the first consumer. Written by the thread that has borrowed the session. */
  private volatile Session jms;

  /** Number of its consumers, including the one that is being opened. */
  private int consumers;

  /** True if a consumer was opened on it. */
  private boolean used;

  private boolean borrowed;
  private boolean retired;

  /**
   * Creates an instance without a JMS session.
   *
   * @param capacity maximum number of consumers; if 1, the session is closed with its consumer
   */
  ConsumerSession(BrokerConnection connection, int capacity) {
    this.connection = connection;
    this.capacity = capacity;
  }

  /** Opens the JMS session unless it is open. The thread that has borrowed it. */
  Session open(Provider provider, int acknowledge) throws JMSException {
    if (jms == null) {
      jms = provider.session(connection.jms(), acknowledge);
    }
    return jms;
  }

  /** Returns the JMS session, or null if it is not open. Any thread. */
  Session jms() {
    return jms;
  }

  /** Closes only the JMS session. Any thread. */
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

  /** Reserves capacity for a consumer that is to be opened. */
  void addConsumer() {
    consumers++;
  }

  /** Records that a consumer was opened. */
  void onOpened() {
    used = true;
  }

  /** Returns whether a consumer was opened on it, so that the broker may have closed it since. */
  boolean isUsed() {
    return used;
  }

  void removeConsumer() {
    consumers--;
  }

  boolean isBorrowed() {
    return borrowed;
  }

  void setBorrowed(boolean isBorrowed) {
    borrowed = isBorrowed;
  }

  /** Permits no further consumers on it. */
  void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }

  /** Returns whether another consumer may be opened on it. */
  boolean hasCapacity() {
    return !retired && consumers < capacity;
  }

  /** Closes a consumer when the session is released. */
  void closeLater(Closing later) {
    closing.add(later);
  }

  /** Removes and returns a consumer to be closed, or null. */
  Closing pollClosing() {
    return closing.poll();
  }
}
