package io.sluice.gateway.broker.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;

/**
 * Connection to the broker, with a session that probes whether the broker responds. The session is
 * opened in advance, because a responsive broker may refuse further sessions. Any thread.
 */
final class BrokerConnection {
  private final Connection jms;
  private final Session probe;
  private volatile long arrivalNs = System.nanoTime();

  /** Starts delivery. The caller remains responsible for closing the connection. */
  BrokerConnection(Connection jms) throws JMSException {
    this.jms = jms;
    jms.start();
    this.probe = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
  }

  Connection jms() {
    return jms;
  }

  /** Records that a message has arrived over this connection. */
  void onArrival() {
    arrivalNs = System.nanoTime();
  }

  /** Returns the time of the latest arrival of a message, by {@link System#nanoTime}. */
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
