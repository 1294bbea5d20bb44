package io.sluice.gateway.broker.provider.classic;

import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.TransactionContext;
import org.apache.activemq.command.BrokerId;
import org.apache.activemq.command.TransactionId;
import org.apache.activemq.command.TransactionInfo;
import org.apache.activemq.command.XATransactionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connection on which one transaction at a time sends. Its id is one of XA, because those of other
 * transactions are valid on one connection only. Any thread, one at a time.
 */
final class SendConnection {
  private static final Logger log = LoggerFactory.getLogger(SendConnection.class);

  /** The broker retains a state of each transaction until the connection ends. */
  private static final int MAX_TRANSACTIONS = 500;

  private static final int FORMAT = 0x534c;
  private static final byte[] BRANCH = {1};

  private final ClassicConnection owner;
  private final ActiveMQConnection connection;
  private int transactions;

  /**
   * @param owner connection that acknowledges
   * @param connection connection that sends; may be the same
   */
  SendConnection(ClassicConnection owner, ActiveMQConnection connection) {
    this.owner = owner;
    this.connection = connection;
  }

  /** Returns whether the connection belongs to a broker. */
  boolean isAt(BrokerId broker) throws JMSException {
    return broker != null && broker.equals(ClassicConnection.brokerId(connection));
  }

  boolean isUsable() {
    return !connection.isClosed()
        && !connection.isTransportFailed()
        && transactions < MAX_TRANSACTIONS;
  }

  /** Begins a transaction; waits for the broker. */
  SendTransaction begin() throws JMSException {
    transactions++;
    TransactionId id = newId();
    ActiveMQSession session =
        (ActiveMQSession) connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    session.setTransactionContext(
        new TransactionContext(connection) {
          @Override
          public TransactionId getTransactionId() {
            return id;
          }
        });
    connection.syncSendPacket(info(id, TransactionInfo.BEGIN));
    return new SendTransaction(owner, this, session, id);
  }

  private static TransactionId newId() {
    UUID random = UUID.randomUUID();
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
    bytes.putLong(random.getMostSignificantBits()).putLong(random.getLeastSignificantBits());
    XATransactionId id = new XATransactionId();
    id.setFormatId(FORMAT);
    id.setGlobalTransactionId(bytes.array());
    id.setBranchQualifier(BRANCH);
    return id;
  }

  private TransactionInfo info(TransactionId id, byte type) {
    return new TransactionInfo(connection.getConnectionInfo().getConnectionId(), id, type);
  }

  /**
   * Rolls a transaction back.
   *
   * @param timeoutMs time limit of the broker, which may still block the connection
   */
  void rollback(TransactionId id, int timeoutMs) throws JMSException {
    connection.syncSendPacket(info(id, TransactionInfo.ROLLBACK), timeoutMs);
  }

  void free() {
    if (connection != owner) {
      owner.free(this);
    }
  }

  /** Closes the connection, also a blocked one. The broker then rolls its transaction back. */
  void discard() {
    if (connection == owner) {
      return;
    }
    try {
      connection.getTransport().stop();
      connection.close();
    } catch (Exception e) { // the connection has ended
      log.atDebug().setCause(e).log("connection of transactions did not close");
    }
  }
}
