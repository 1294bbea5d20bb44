package io.sluice.gateway.broker.provider;

import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;

/** Reports that the broker's state or its kind does not permit a request for a subscription. */
public final class SubscriptionRefusal extends JMSException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * Creates a refusal.
   *
   * @param why explanation for the client
   */
  public SubscriptionRefusal(ErrorCode code, String why) {
    super(why);
    this.code = code;
  }

  /** Returns the refusal of a request for which the provider lacks a capability. */
  public static SubscriptionRefusal unsupported(String what, Capability missing) {
    return new SubscriptionRefusal(
        ErrorCode.UNSUPPORTED,
        "this broker is not known to support %s (broker.capabilities: %s)"
            .formatted(what, missing.word()));
  }

  static SubscriptionRefusal unknown() {
    return new SubscriptionRefusal(
        ErrorCode.UNKNOWN_SUBSCRIPTION, "there is no such durable subscription");
  }

  static SubscriptionRefusal inUse() {
    return new SubscriptionRefusal(
        ErrorCode.SUBSCRIPTION_IN_USE, "the subscription has consumers: end them first");
  }

  static SubscriptionRefusal exists() {
    return new SubscriptionRefusal(
        ErrorCode.SUBSCRIPTION_EXISTS, "the subscription exists with another selector (where)");
  }

  static SubscriptionRefusal tooMany(SubscriptionLimits limits) {
    return new SubscriptionRefusal(
        ErrorCode.TOO_MANY_SUBSCRIPTIONS,
        "the client has "
            + limits.durables()
            + " durable subscriptions at the broker, the maximum (limits.durables)");
  }

  /** Returns the code for the client. */
  public ErrorCode code() {
    return code;
  }
}
