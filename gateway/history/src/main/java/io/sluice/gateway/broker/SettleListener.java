package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;

/** Receiver of the result of one settlement. Exactly one method is called, once, on any thread. */
public interface SettleListener {
  /** The broker has stored the settlement: it does not deliver an acknowledged message again. */
  void onSettled();

  /** The message was not settled. */
  void onRefused(ErrorCode code, String why);
}
