package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSSecurityException;

/**
 * Reason for which the broker opens no consumer. Immutable, for any thread.
 *
 * @param isPermanent whether further attempts are useless
 */
record OpenFailure(ErrorCode code, String why, boolean isPermanent) {
  static OpenFailure of(Throwable failure, QueueRequest request) {
    String kind = request.subscription() == null ? "queue" : "topic";
    if (failure instanceof SubscriptionRefusal refusal) {
      return permanent(refusal.code(), refusal.getMessage());
    }
    if (failure instanceof InvalidDestinationException) {
      ErrorCode code =
          request.subscription() == null ? ErrorCode.UNKNOWN_QUEUE : ErrorCode.UNKNOWN_TOPIC;
      return permanent(code, "the broker has no such " + kind);
    }
    if (failure instanceof JMSSecurityException) {
      return permanent(ErrorCode.FORBIDDEN, "the broker denies access to this " + kind);
    }
    if (failure instanceof InvalidSelectorException) {
      return permanent(
          ErrorCode.INVALID_SELECTOR,
          "the broker refuses the selector: " + Explanation.of(failure));
    }
    if (Provider.isUnsupported(failure)) {
      return permanent(
          ErrorCode.UNSUPPORTED,
          "the JMS client does not support the request: " + Explanation.of(failure));
    }
    return new OpenFailure(
        ErrorCode.BROKER_UNAVAILABLE,
        "the broker cannot serve this " + kind + " at the moment",
        false);
  }

  private static OpenFailure permanent(ErrorCode code, String why) {
    return new OpenFailure(code, why, true);
  }
}
