package io.sluice.gateway.broker.provider.classic;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.command.BrokerId;
import org.apache.activemq.command.BrokerInfo;
import org.apache.activemq.management.JMSStatsImpl;
import org.apache.activemq.transport.Transport;
import org.apache.activemq.util.IdGenerator;

/**
 * Connection, and further ones on which its transactions send. The broker handles the commands of a
 * connection in order: a send to a full destination or store blocks all calls of its connection.
 * Any thread.
 */
public final class ClassicConnection extends ActiveMQConnection {
  /** Opens a further connection; waits for the broker. */
  public interface Opener {
    Connection open() throws JMSException;
  }

  private final Deque<SendConnection> idle = new ConcurrentLinkedDeque<>();

  /** Null if transactions send on this connection. */
  private volatile Opener opener;

  ClassicConnection(
      Transport transport, IdGenerator clientIds, IdGenerator connectionIds, JMSStatsImpl stats)
      throws Exception {
    super(transport, clientIds, connectionIds, stats);
  }

  /** Lets transactions send on further connections. */
  public void sendOn(Opener further) {
    opener = further;
  }

  /** Begins a transaction; waits for the broker. */
  public SendTransaction begin() throws JMSException {
    SendConnection sender = borrow();
    try {
      return sender.begin();
    } catch (JMSException | RuntimeException e) {
      sender.discard();
      throw e;
    }
  }

  private SendConnection borrow() throws JMSException {
    for (SendConnection next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
      if (next.isUsable()) {
        return next;
      }
      next.discard();
    }
    Opener further = opener;
    if (further != null) {
      SendConnection opened = new SendConnection(this, (ActiveMQConnection) further.open());
      if (opened.isAt(brokerId(this))) {
        return opened;
      }
      opened.discard();
      opener = null; // a transaction cannot include two brokers of a network
    }
    return new SendConnection(this, this);
  }

  /** Returns a connection after the end of its transaction. */
  void free(SendConnection former) {
    idle.addFirst(former);
    if (isClosed()) {
      closeIdle();
    }
  }

  /** Returns the id of the broker, perhaps after waiting for it; null if it is unknown. */
  static BrokerId brokerId(ActiveMQConnection connection) throws JMSException {
    connection.start();
    connection.getBrokerName();
    BrokerInfo broker = connection.getBrokerInfo();
    return broker == null ? null : broker.getBrokerId();
  }

  @Override
  public void close() throws JMSException {
    try {
      super.close();
    } finally {
      closeIdle();
    }
  }

  private void closeIdle() {
    for (SendConnection next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
      next.discard();
    }
  }
}
