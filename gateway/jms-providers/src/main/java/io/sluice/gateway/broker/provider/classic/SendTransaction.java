package io.sluice.gateway.broker.provider.classic;

import jakarta.jms.JMSException;
import jakarta.jms.Session;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.command.TransactionId;
import org.apache.activemq.command.TransactionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transaction that sends on one connection and acknowledges on another. It ends once, by {@link
 * #commit} or {@link #rollback}. Any thread, one at a time.
 */
public final class SendTransaction {
  private static final Logger log = LoggerFactory.getLogger(SendTransaction.class);
  private static final int ROLLBACK_MS = 1_000;

  private final ClassicConnection acknowledging;
  private final SendConnection sending;
  private final ActiveMQSession session;
  private final TransactionId id;

  SendTransaction(
      ClassicConnection acknowledging,
      SendConnection sending,
      ActiveMQSession session,
      TransactionId id) {
    this.acknowledging = acknowledging;
    this.sending = sending;
    this.session = session;
    this.id = id;
  }

  /** Returns the session that sends; the broker may block it. */
  public Session session() {
    return session;
  }

  /** Returns the id for acknowledgements. */
  public TransactionId id() {
    return id;
  }

  /**
   * Commits; waits for the broker. The connection that acknowledges commits: once it is lost, its
   * messages belong to other consumers.
   */
  public void commit() throws JMSException {
    acknowledging.syncSendPacket(
        new TransactionInfo(
            acknowledging.getConnectionInfo().getConnectionId(),
            id,
            TransactionInfo.COMMIT_ONE_PHASE));
    session.close();
    sending.free();
  }

  /** Rolls back after any failure; never fails. An interrupt of the transaction remains set. */
  public void rollback() {
    boolean interrupted = Thread.interrupted();
    try {
      sending.rollback(id, ROLLBACK_MS);
      session.close();
      sending.free();
    } catch (JMSException | RuntimeException e) {
      log.atDebug().setCause(e).log("transaction was not rolled back");
      sending.discard();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
