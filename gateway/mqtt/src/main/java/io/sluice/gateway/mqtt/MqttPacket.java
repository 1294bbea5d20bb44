package io.sluice.gateway.mqtt;

import java.util.List;

/** Parsed packet of a client. Immutable, for any thread. */
sealed interface MqttPacket {
  /**
   * Opens the connection.
   *
   * @param keepAlive in seconds; 0 without
   * @param will null without
   * @param user null without, as is the password
   */
  record Connect(
      MqttVersion version,
      boolean cleanStart,
      int keepAlive,
      PacketProperties properties,
      String clientId,
      Will will,
      String user,
      byte[] password)
      implements MqttPacket {}

  /** Message that the node publishes when the connection ends without DISCONNECT. */
  record Will(String topic, byte[] payload, int qos, boolean retain, PacketProperties properties) {}

  /**
   * Publishes a message.
   *
   * @param topic empty if there is only an alias
   * @param id 0 with QoS 0
   */
  record Publish(
      String topic,
      int id,
      int qos,
      boolean dup,
      boolean retain,
      PacketProperties properties,
      byte[] payload)
      implements MqttPacket {}

  /** PUBACK, PUBREC, PUBREL or PUBCOMP. */
  record Ack(int kind, int id, int reason) implements MqttPacket {}

  /** Subscribes to filters. */
  record Subscribe(int id, List<Filter> filters) implements MqttPacket {}

  /**
   * Filter with its options.
   *
   * @param retainHandling 0 to 2
   * @param subscriptionId subscription identifier; 0 without one
   */
  record Filter(
      String filter,
      int qos,
      boolean noLocal,
      boolean retainAsPublished,
      int retainHandling,
      int subscriptionId) {
    /** Returns the filter with the QoS that the node grants; many clients share its name. */
    Filter granted() {
      String name = filter.intern();
      return new Filter(
          name, Math.min(qos, 1), noLocal, retainAsPublished, retainHandling, subscriptionId);
    }
  }

  /** Ends subscriptions. */
  record Unsubscribe(int id, List<String> filters) implements MqttPacket {}

  /** Keeps the connection alive. */
  record PingRequest() implements MqttPacket {}

  /** Ends the connection. */
  record Disconnect(int reason, PacketProperties properties) implements MqttPacket {}

  /** Extended authentication. */
  record Auth(int reason) implements MqttPacket {}
}
