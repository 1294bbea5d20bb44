package io.sluice.gateway.mqtt;

import io.netty.util.collection.IntCollections;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.sluice.gateway.protocol.ClientFrame;

/**
 * Messages that a client publishes: topic aliases, and those with QoS 1 that wait for the broker.
 * Bound to the client's event loop.
 */
final class InboundPublishes {
  private static final int EXACTLY_ONCE = 2;

  private final SessionPort port;
  private final PacketWriter writer;
  private final MqttVersion version;
  private final MqttOptions options;

  /** Packet identifiers of messages without an answer. */
  private IntObjectMap<Boolean> pending = IntCollections.emptyMap();

  /** Topic names by alias; null until the first. */
  private String[] aliases;

  private boolean stopped;

  InboundPublishes(
      SessionPort port, PacketWriter writer, MqttVersion version, MqttOptions options) {
    this.port = port;
    this.writer = writer;
    this.version = version;
    this.options = options;
  }

  boolean isIdle() {
    return pending.isEmpty();
  }

  /** Accepts no further messages with QoS 1: the client sends them again elsewhere. */
  void stop() {
    stopped = true;
  }

  void onPublish(MqttPacket.Publish packet) throws MqttFault {
    if (packet.qos() == EXACTLY_ONCE) {
      throw new MqttFault(MqttReason.QOS_NOT_SUPPORTED, "QoS 2 is not available");
    }
    String name = name(packet);
    if (packet.qos() == 0) {
      publish(ClientFrame.NO_REF, name, packet);
      return;
    }
    if (pending.containsKey(packet.id())) {
      if (version.hasProperties()) {
        port.send(
            writer.ack(PacketKind.PUBACK, packet.id(), MqttReason.PACKET_ID_IN_USE, "in use"));
      } else if (!packet.dup()) {
        throw MqttFault.protocol("packet identifier " + packet.id() + " is in use");
      }
      return;
    }
    if (pending.size() >= MqttOptions.RECEIVE_MAXIMUM && version.hasProperties()) {
      throw new MqttFault(
          MqttReason.RECEIVE_MAXIMUM_EXCEEDED,
          "more than " + MqttOptions.RECEIVE_MAXIMUM + " messages without PUBACK");
    }
    if (!stopped) {
      if (pending == IntCollections.<Boolean>emptyMap()) {
        pending = new IntObjectHashMap<>(2);
      }
      pending.put(packet.id(), Boolean.TRUE);
      publish(packet.id(), name, packet);
    }
  }

  private String name(MqttPacket.Publish packet) throws MqttFault {
    int alias = (int) packet.properties().number(PacketProperties.TOPIC_ALIAS, 0);
    if (alias == 0) {
      return packet.topic();
    }
    if (alias > MqttOptions.TOPIC_ALIASES) {
      throw new MqttFault(
          MqttReason.TOPIC_ALIAS_INVALID,
          "topic alias " + alias + " exceeds " + MqttOptions.TOPIC_ALIASES);
    }
    if (aliases == null) {
      aliases = new String[MqttOptions.TOPIC_ALIASES + 1];
    }
    if (!packet.topic().isEmpty()) {
      aliases[alias] = packet.topic();
    } else if (aliases[alias] == null) {
      throw MqttFault.protocol("topic alias " + alias + " has no topic");
    }
    return aliases[alias];
  }

  private void publish(long ref, String name, MqttPacket.Publish packet) throws MqttFault {
    ClientFrame.Publish frame;
    try {
      frame =
          PublishTranslator.frame(
              ref, name, packet.retain(), packet.properties(), packet.payload(), options);
    } catch (MqttFault refused) {
      boolean isRetain = refused.reason() == MqttReason.RETAIN_NOT_SUPPORTED;
      if (ref == ClientFrame.NO_REF && isRetain) {
        throw refused;
      }
      MqttReason reason = isRetain ? MqttReason.IMPLEMENTATION_SPECIFIC : refused.reason();
      onRefused(ref, reason, refused.getMessage());
      return;
    }
    port.give(frame);
  }

  /** Processes that the broker has stored a message. */
  void onPublished(long ref) {
    if (ref != ClientFrame.NO_REF && pending.remove((int) ref) != null) {
      port.send(writer.ack(PacketKind.PUBACK, (int) ref, MqttReason.SUCCESS, null));
    }
  }

  /**
   * Processes that a message was refused. MQTT 3.1.1 has no answer for it but the end of the
   * connection, and QoS 0 none at all.
   */
  void onRefused(long ref, MqttReason reason, String why) {
    if (ref == ClientFrame.NO_REF || pending.remove((int) ref) == null) {
      return;
    }
    if (version.hasProperties()) {
      port.send(writer.ack(PacketKind.PUBACK, (int) ref, reason, why));
    } else {
      port.end(reason, why);
    }
  }
}
