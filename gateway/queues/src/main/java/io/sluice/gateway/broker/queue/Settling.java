package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Settlement;
import java.util.List;

/**
 * Settlement that waits for the broker. Immutable, for any thread.
 *
 * @param publications messages of a transaction; null for other settlements
 * @param listener null if the node settles, or further parts follow
 */
record Settling(
    List<PendingMessage> messages,
    Settlement how,
    List<Publication> publications,
    SettleListener listener) {
  /** Creates a settlement without a transaction. */
  Settling(List<PendingMessage> messages, Settlement how, SettleListener listener) {
    this(messages, how, null, listener);
  }

  /** Returns acknowledgements and publishes that take effect together. */
  static Settling transaction(
      List<PendingMessage> messages, List<Publication> publications, PublishListener result) {
    return new Settling(messages, Settlement.ACK, publications, asSettleListener(result));
  }

  private static SettleListener asSettleListener(PublishListener result) {
    return new SettleListener() {
      @Override
      public void onSettled() {
        result.onPublished();
      }

      @Override
      public void onRefused(ErrorCode code, String why) {
        result.onRefused(code, why);
      }
    };
  }

  /** Returns whether the client has received the messages. */
  boolean isOfClient() {
    return messages.isEmpty() || messages.get(0).tag > 0;
  }

  boolean isTransaction() {
    return publications != null;
  }

  /** Returns whether one call to the broker may settle it together with others. */
  boolean isBatched() {
    return how == Settlement.ACK && !isTransaction();
  }

  /**
   * Returns the error code of a failure.
   *
   * @param code that of other settlements
   * @param sent whether the broker may have stored it
   */
  ErrorCode failure(ErrorCode code, boolean sent) {
    return isTransaction() && (sent || code == ErrorCode.SETTLE_FAILED)
        ? ErrorCode.TRANSACTION_FAILED
        : code;
  }
}
