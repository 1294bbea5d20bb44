package io.sluice.gateway.mqtt;

import io.sluice.gateway.websocket.CloseCode;

/** Reason codes of sessions that the node ends. Stateless. */
final class CloseReasons {
  private CloseReasons() {}

  static MqttReason of(CloseCode code) {
    return switch (code) {
      case NORMAL -> MqttReason.SUCCESS;
      case GOING_AWAY, DRAINING, RENEW, REDIRECTED -> MqttReason.SERVER_SHUTTING_DOWN;
      case PROTOCOL_ERROR, UNSUPPORTED, INVALID_DATA -> MqttReason.PROTOCOL_ERROR;
      case TOO_BIG -> MqttReason.PACKET_TOO_LARGE;
      case OVERLOADED -> MqttReason.SERVER_BUSY;
      case SLOW_CONSUMER -> MqttReason.QUOTA_EXCEEDED;
      case IDLE -> MqttReason.KEEP_ALIVE_TIMEOUT;
      case NOT_VERIFIED -> MqttReason.SERVER_UNAVAILABLE;
      case TOO_MANY_CONNECTIONS -> MqttReason.QUOTA_EXCEEDED;
      case DISCONNECTED -> MqttReason.ADMINISTRATIVE_ACTION;
      case UNAUTHORIZED, EXPIRED, REVOKED -> MqttReason.NOT_AUTHORIZED;
      case TOO_MANY_ERRORS, TOO_FAST -> MqttReason.MESSAGE_RATE_TOO_HIGH;
      case INTERNAL_ERROR, NOT_OPENED -> MqttReason.UNSPECIFIED;
    };
  }
}
