package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Broker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Connection to the broker, with a session that probes whether the broker responds. The session is
 * opened in advance, because a responsive broker may refuse further sessions. Any thread.
 */
final class BrokerConnection {
  /**
   * Numbers of the messages that have arrived. Two threads may call it at once; each result is an
   * estimate.
   */
  static final class Numbers {
    /** Time after which a message counts as behind those that have arrived before. */
    static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private volatile long newest = Broker.NO_SEQUENCE;

    /** {@link #newest} at {@link #sinceNs}. */
    private volatile long recent = Broker.NO_SEQUENCE;

    /** {@link #newest} at least {@link #LATE_NS} ago. */
    private volatile long earlier = Broker.NO_SEQUENCE;

    private volatile long sinceNs;

    /**
     * Records the number of a message. Returns how far it is behind the newest one if a newer one
     * arrived at least {@link #LATE_NS} earlier, otherwise 0. The broker, or the connection, then
     * holds back the messages of this consumer.
     *
     * @param nowNs time of its arrival
     */
    long behind(long sequence, long nowNs) {
      if (sequence == Broker.NO_SEQUENCE) {
        return 0;
      }
      if (nowNs - sinceNs >= LATE_NS) {
        earlier = recent;
        recent = newest;
        sinceNs = nowNs;
      }
      if (sequence > newest) {
        newest = sequence;
      }
      return sequence < earlier ? newest - sequence : 0;
    }
  }

  private final Connection jms;
  private final Session probe;
  private final LongSupplier clockNs;
  private final boolean separate;
  private volatile long arrivalNs;

  private final Numbers numbers = new Numbers();

  /**
   * Starts delivery. The caller remains responsible for closing the connection.
   *
   * @param clockNs clock of {@link #arrivalNs}
   */
  BrokerConnection(Connection jms, LongSupplier clockNs) throws JMSException {
    this(jms, clockNs, false);
  }

  /**
   * Starts delivery. The caller remains responsible for closing the connection.
   *
   * @param separate whether it belongs to one topic: its loss concerns no other one
   */
  BrokerConnection(Connection jms, LongSupplier clockNs, boolean separate) throws JMSException {
    this.jms = jms;
    this.separate = separate;
    this.clockNs = clockNs;
    this.arrivalNs = clockNs.getAsLong();
    jms.start();
    this.probe = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
  }

  Connection jms() {
    return jms;
  }

  /** Returns whether it belongs to one topic. */
  boolean isSeparate() {
    return separate;
  }

  /** Records the number of a message whose arrival was recorded, as {@link Numbers#behind}. */
  long behind(long sequence) {
    return numbers.behind(sequence, arrivalNs);
  }

  /** Records the number of a canary. Canaries are no arrivals. */
  void onCanary(long sequence) {
    numbers.behind(sequence, clockNs.getAsLong());
  }

  /** Records that a message has arrived over this connection. */
  void onArrival() {
    arrivalNs = clockNs.getAsLong();
  }

  /** Returns the time of the latest arrival of a message. */
  long arrivalNs() {
    return arrivalNs;
  }

  /**
   * Returns whether the broker responds; blocks until then. Creates and deletes a temporary topic,
   * which requires a response of any JMS broker. A separate connection is no evidence.
   */
  synchronized boolean isResponsive() {
    if (separate) {
      return true;
    }
    try {
      probe.createTemporaryTopic().delete();
      return true;
    } catch (JMSSecurityException e) {
      return true; // a refusal is a response
    } catch (Throwable e) {
      return false;
    }
  }
}
