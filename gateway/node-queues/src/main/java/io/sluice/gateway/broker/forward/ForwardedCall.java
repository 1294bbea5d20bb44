package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Call of a leaf's client that waits for the root. Bound to the event loop of the links. */
interface ForwardedCall {
  /** Explanation of calls whose results are lost with the link. */
  String LOST = "the link to the root was lost";

  /** Returns the key of the client's user. */
  String user();

  /**
   * Handles a result.
   *
   * @return whether the call has ended
   */
  boolean onResult(QueueRecord.Result result);

  /** Ends the call: the link is lost, and the root may have executed it. */
  void onLost();

  /** Returns a call with one result. */
  static ForwardedCall of(
      String user, Consumer<QueueRecord.Result> onDone, BiConsumer<ErrorCode, String> onRefused) {
    return of(user, onDone, onRefused, ErrorCode.BROKER_UNAVAILABLE);
  }

  /**
   * Returns a transaction.
   *
   * @param onDone called before the listener
   */
  static ForwardedCall ofTransaction(String user, PublishListener listener, Runnable onDone) {
    return of(
        user,
        any -> {
          onDone.run();
          listener.onPublished();
        },
        listener::onRefused,
        ErrorCode.TRANSACTION_FAILED);
  }

  private static ForwardedCall of(
      String user,
      Consumer<QueueRecord.Result> onDone,
      BiConsumer<ErrorCode, String> onRefused,
      ErrorCode lost) {
    return new ForwardedCall() {
      @Override
      public String user() {
        return user;
      }

      @Override
      public boolean onResult(QueueRecord.Result result) {
        if (result instanceof QueueRecord.Refused refused) {
          onRefused.accept(refused.code(), refused.why());
        } else {
          onDone.accept(result);
        }
        return true;
      }

      @Override
      public void onLost() {
        onRefused.accept(lost, LOST);
      }
    };
  }
}
