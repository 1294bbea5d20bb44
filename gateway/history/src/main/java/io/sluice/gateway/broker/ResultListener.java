package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;

/**
 * Receiver of the result of one request to the broker. Exactly one method is called, once, on any
 * thread; neither blocks.
 */
public interface ResultListener<T> {
  /** The broker has responded. */
  void onResult(T result);

  /** The request had no effect, or the broker did not respond. */
  void onRefused(ErrorCode code, String why);

  /** Returns a listener that does nothing. */
  static <T> ResultListener<T> ignored() {
    return new ResultListener<>() {
      @Override
      public void onResult(T result) {}

      @Override
      public void onRefused(ErrorCode code, String why) {}
    };
  }
}
