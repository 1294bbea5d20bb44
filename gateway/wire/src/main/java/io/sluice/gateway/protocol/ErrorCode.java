package io.sluice.gateway.protocol;

/** Stable error codes: docs/PROTOCOL.md, section 6. */
public enum ErrorCode {
  BAD_JSON("bad-json"),
  BAD_FRAME("bad-frame"),
  UNKNOWN_TYPE("unknown-type"),
  ALREADY_CONNECTED("already-connected"),
  UNAUTHORIZED("unauthorized"),
  INVALID_TOPIC("invalid-topic"),
  TOPIC_TOO_LONG("topic-too-long"),
  TOPIC_TOO_DEEP("topic-too-deep"),
  FORBIDDEN("forbidden"),
  UNKNOWN_TOPIC("unknown-topic"),
  ALREADY_SUBSCRIBED("already-subscribed"),
  NOT_SUBSCRIBED("not-subscribed"),
  TOO_MANY_SUBSCRIPTIONS("too-many-subscriptions"),
  TOO_MANY_TOPICS("too-many-topics"),
  RATE_LIMITED("rate-limited"),
  BROKER_UNAVAILABLE("broker-unavailable"),
  PUBLISH_FAILED("publish-failed"),
  UNSUPPORTED("unsupported"),
  UNKNOWN_QUEUE("unknown-queue"),
  INVALID_SELECTOR("invalid-selector"),
  TOO_MANY_CONSUMERS("too-many-consumers"),
  NOT_PENDING("not-pending"),
  UNKNOWN_SUBSCRIPTION("unknown-subscription"),
  SUBSCRIPTION_EXISTS("subscription-exists"),
  SUBSCRIPTION_IN_USE("subscription-in-use"),
  TRANSACTION_FAILED("transaction-failed"),
  SETTLE_FAILED("settle-failed"),
  TOO_MANY_REQUESTS("too-many-requests"),
  TIMEOUT("timeout"),
  NO_REPLY("no-reply"),
  NO_RECIPIENT("no-recipient"),
  INTERNAL("internal");

  private final String code;

  ErrorCode(String code) {
    this.code = code;
  }

  /** Returns whether the frame itself is invalid; too many such frames close the connection. */
  public boolean isMalformed() {
    return switch (this) {
      case BAD_JSON, BAD_FRAME, UNKNOWN_TYPE, ALREADY_CONNECTED -> true;
      default -> false;
    };
  }

  /** Returns the code on the wire. */
  public String code() {
    return code;
  }
}
