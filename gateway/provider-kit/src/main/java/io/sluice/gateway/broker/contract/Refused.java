package io.sluice.gateway.broker.contract;

import io.sluice.gateway.protocol.ErrorCode;

/** Refusal of a request by the node or the broker, as a client receives it. */
final class Refused extends Exception {
  private static final long serialVersionUID = 1;

  Refused(ErrorCode code, String why) {
    super(code.code() + ": " + why);
  }
}
