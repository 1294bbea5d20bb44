package io.sluice.gateway.mqtt;

import io.sluice.gateway.protocol.ErrorCode;

/** Reason codes of MQTT 5, section 2.4, that a node sends. */
enum MqttReason {
  SUCCESS(0x00),
  NO_SUBSCRIPTION_EXISTED(0x11),
  UNSPECIFIED(0x80),
  MALFORMED_PACKET(0x81),
  PROTOCOL_ERROR(0x82),
  IMPLEMENTATION_SPECIFIC(0x83),
  UNSUPPORTED_VERSION(0x84),
  CLIENT_ID_NOT_VALID(0x85),
  BAD_CREDENTIAL(0x86),
  NOT_AUTHORIZED(0x87),
  SERVER_UNAVAILABLE(0x88),
  SERVER_BUSY(0x89),
  SERVER_SHUTTING_DOWN(0x8B),
  BAD_AUTHENTICATION_METHOD(0x8C),
  KEEP_ALIVE_TIMEOUT(0x8D),
  SESSION_TAKEN_OVER(0x8E),
  TOPIC_FILTER_INVALID(0x8F),
  TOPIC_NAME_INVALID(0x90),
  PACKET_ID_IN_USE(0x91),
  PACKET_ID_NOT_FOUND(0x92),
  RECEIVE_MAXIMUM_EXCEEDED(0x93),
  TOPIC_ALIAS_INVALID(0x94),
  PACKET_TOO_LARGE(0x95),
  MESSAGE_RATE_TOO_HIGH(0x96),
  QUOTA_EXCEEDED(0x97),
  ADMINISTRATIVE_ACTION(0x98),
  PAYLOAD_FORMAT_INVALID(0x99),
  RETAIN_NOT_SUPPORTED(0x9A),
  QOS_NOT_SUPPORTED(0x9B),
  USE_ANOTHER_SERVER(0x9C),
  SHARED_SUBSCRIPTIONS_NOT_SUPPORTED(0x9E),
  CONNECTION_RATE_EXCEEDED(0x9F),
  MAXIMUM_CONNECT_TIME(0xA0);

  /** Values above it are failures. */
  private static final int LAST_SUCCESS = 0x7F;

  private final int code;

  MqttReason(int code) {
    this.code = code;
  }

  /** Returns the code on the wire. */
  int code() {
    return code;
  }

  boolean isFailure() {
    return code > LAST_SUCCESS;
  }

  /** Returns the return code of a CONNACK of MQTT 3.1.1 for a refused connection. */
  int returnCode() {
    return switch (this) {
      case UNSUPPORTED_VERSION -> 1;
      case CLIENT_ID_NOT_VALID -> 2;
      case BAD_CREDENTIAL -> 4;
      case NOT_AUTHORIZED, BAD_AUTHENTICATION_METHOD -> 5;
      default -> 3;
    };
  }

  /** Returns the reason for an error of the session, by its code on the wire. */
  static MqttReason ofError(String code, boolean publish) {
    for (ErrorCode each : ErrorCode.values()) {
      if (each.code().equals(code)) {
        return of(each, publish);
      }
    }
    return UNSPECIFIED;
  }

  private static MqttReason of(ErrorCode code, boolean publish) {
    return switch (code) {
      case UNAUTHORIZED, FORBIDDEN -> NOT_AUTHORIZED;
      case INVALID_TOPIC, TOPIC_TOO_LONG, TOPIC_TOO_DEEP, UNKNOWN_TOPIC ->
          publish ? TOPIC_NAME_INVALID : TOPIC_FILTER_INVALID;
      case TOO_MANY_SUBSCRIPTIONS, TOO_MANY_TOPICS, TOO_MANY_CONSUMERS, RATE_LIMITED ->
          QUOTA_EXCEEDED;
      case UNSUPPORTED -> IMPLEMENTATION_SPECIFIC;
      default -> UNSPECIFIED;
    };
  }
}
