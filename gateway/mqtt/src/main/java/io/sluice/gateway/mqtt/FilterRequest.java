package io.sluice.gateway.mqtt;

/** One filter of a SUBSCRIBE that waits for the session. Bound to the client's event loop. */
final class FilterRequest {
  private final FilterSubscription subscription;
  private final PendingSuback reply;
  private final int index;
  private final FilterSubscription replaced;
  private int unanswered;
  private MqttReason failure;
  private String why;

  /**
   * @param index of the filter in the packet
   * @param replaced subscription with the same filter that ends with the answer, or null
   */
  FilterRequest(
      FilterSubscription subscription,
      PendingSuback reply,
      int index,
      FilterSubscription replaced) {
    this.subscription = subscription;
    this.reply = reply;
    this.index = index;
    this.replaced = replaced;
  }

  /** Sets the number of answers to wait for. */
  void expect(int parts) {
    unanswered = parts;
  }

  FilterSubscription subscription() {
    return subscription;
  }

  FilterSubscription replaced() {
    return replaced;
  }

  /** Records the answer to a part; returns whether it was the last one. */
  boolean onAnswer() {
    return --unanswered == 0;
  }

  /** Records a refusal of the whole filter. */
  void fail(MqttReason reason, String reasonText) {
    failure = reason;
    why = reasonText;
  }

  boolean isRefused() {
    return failure != null;
  }

  /** Completes the filter in its reply, and returns it. */
  PendingSuback complete() {
    if (failure == null) {
      reply.set(index, subscription.filter().qos());
    } else {
      reply.refuse(index, failure, why);
    }
    return reply;
  }
}
