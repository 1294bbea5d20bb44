package io.sluice.gateway.broker.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;

/**
 * One connection to the broker, with a session for the question whether the broker still answers.
 * The session is opened at once, because a broker may answer and yet give no more of them. Any
 * thread.
 */
final class BrokerConnection {
  private final Connection jms;
  private final Session probe;
  private volatile long arrivalNs = System.nanoTime();

  /** Starts delivery. The connection is closed by whoever opened it. */
  BrokerConnection(Connection jms) throws JMSException {
    this.jms = jms;
    jms.start();
    this.probe = jms.createSession(false, Session.AUTO_ACKNOWLEDGE);
  }

  Connection jms() {
    return jms;
  }

  /** A message has arrived over this connection. */
  void onArrival() {
    arrivalNs = System.nanoTime();
  }

  /** Time of the latest arrival of a message, by {@link System#nanoTime}. */
  long arrivalNs() {
    return arrivalNs;
  }

  /** A temporary topic is what JMS has that every broker must answer for. */
  synchronized boolean answers() {
    try {
      probe.createTemporaryTopic().delete();
      return true;
    } catch (JMSSecurityException e) {
      return true; // no is an answer
    } catch (Throwable e) {
      return false;
    }
  }
}
