package io.sluice.gateway.mqtt;

/** Violation of the standard by a client, with the reason code that it receives. */
final class MqttFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final MqttReason reason;

  MqttFault(MqttReason reason, String message) {
    super(message, null, false, false); // carries a value, not a bug: no stack trace
    this.reason = reason;
  }

  static MqttFault malformed(String message) {
    return new MqttFault(MqttReason.MALFORMED_PACKET, message);
  }

  static MqttFault protocol(String message) {
    return new MqttFault(MqttReason.PROTOCOL_ERROR, message);
  }

  MqttReason reason() {
    return reason;
  }
}
