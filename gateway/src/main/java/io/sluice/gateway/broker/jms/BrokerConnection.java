package io.sluice.gateway.broker.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.util.function.LongSupplier;

/**
 * Connection to the broker, with a session that probes whether the broker responds. The session is
 * opened in advance, because a responsive broker may refuse further sessions. Any thread.
 */
final class BrokerConnection {
  private final Connection jms;
  private final Session probe;
  private final LongSupplier clockNs;
  private volatile long arrivalNs;

  /**
   * Starts delivery. The caller remains responsible for closing the connection.
   *
   * @param clockNs clock of {@link #arrivalNs}
   */
  BrokerConnection(Connection jms, LongSupplier clockNs) throws JMSException {
    this.jms = jms;
    this.clockNs = clockNs;
    this.arrivalNs = clockNs.getAsLong();
    jms.start();
    this.probe = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
  }

  Connection jms() {
    return jms;
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
   * which requires a response of any JMS broker.
   */
  synchronized boolean isResponsive() {
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
