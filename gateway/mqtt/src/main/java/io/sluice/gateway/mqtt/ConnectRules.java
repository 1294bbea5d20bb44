package io.sluice.gateway.mqtt;

/** Checks of CONNECT that depend on the node. Stateless. */
final class ConnectRules {
  private static final int EXACTLY_ONCE = 2;

  private ConnectRules() {}

  static void check(MqttPacket.Connect connect, MqttOptions options) throws MqttFault {
    boolean isV5 = connect.version() == MqttVersion.V5;
    if (connect.properties().has(PacketProperties.AUTHENTICATION_METHOD)) {
      throw new MqttFault(
          MqttReason.BAD_AUTHENTICATION_METHOD, "extended authentication is not available");
    }
    if (connect.clientId().length() > MqttOptions.MAX_CLIENT_ID) {
      String why = "client identifier has %d characters, at most %d are allowed";
      throw new MqttFault(
          MqttReason.CLIENT_ID_NOT_VALID,
          why.formatted(connect.clientId().length(), MqttOptions.MAX_CLIENT_ID));
    }
    if (connect.clientId().isEmpty() && !isV5 && !connect.cleanStart()) {
      throw new MqttFault(
          MqttReason.CLIENT_ID_NOT_VALID, "a client without identifier requires a clean session");
    }
    if (connect.will() != null) {
      checkWill(connect.will(), isV5, options);
    }
  }

  private static void checkWill(MqttPacket.Will will, boolean isV5, MqttOptions options)
      throws MqttFault {
    if (isV5 && will.qos() == EXACTLY_ONCE) {
      throw new MqttFault(MqttReason.QOS_NOT_SUPPORTED, "QoS of the will exceeds 1");
    }
    PublishTranslator.frame(
        0, will.topic(), will.retain(), will.properties(), will.payload(), options);
  }

  /** Returns the time for which the session is kept after the connection, in seconds. */
  static long expirySeconds(MqttPacket.Connect connect) {
    long requested =
        connect.version() == MqttVersion.V5
            ? connect.properties().number(PacketProperties.SESSION_EXPIRY, 0)
            : connect.cleanStart() ? 0 : MqttOptions.MAX_EXPIRY_SECONDS;
    return Math.min(requested, MqttOptions.MAX_EXPIRY_SECONDS);
  }
}
