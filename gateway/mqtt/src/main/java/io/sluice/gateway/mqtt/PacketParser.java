package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Parser of complete packets of clients, strictly by the standard. Stateless, for any thread. */
final class PacketParser {
  private static final String NAME = "MQTT";
  private static final int RESERVED = 0x01;
  private static final int CLEAN_START = 0x02;
  private static final int WILL = 0x04;
  private static final int WILL_RETAIN = 0x20;
  private static final int PASSWORD = 0x40;
  private static final int USER = 0x80;
  private static final int MAX_QOS = 2;
  private static final int NO_LOCAL = 0x04;
  private static final int RETAIN_AS_PUBLISHED = 0x08;
  private static final int RESERVED_OPTIONS = 0xC0;
  private static final int RETAIN_HANDLING_SHIFT = 4;

  private PacketParser() {}

  /**
   * Parses a packet.
   *
   * @param version of the connection; null before CONNECT
   */
  static MqttPacket parse(int first, ByteBuf bytes, MqttVersion version) throws MqttFault {
    int kind = PacketKind.of(first);
    if (!PacketKind.hasValidFlags(first)) {
      throw MqttFault.malformed("flags of the fixed header are " + (first & 15));
    }
    PacketBody in = new PacketBody(bytes);
    if (version == null) {
      if (kind != PacketKind.CONNECT) {
        throw MqttFault.protocol("first packet is not CONNECT");
      }
      return connect(in);
    }
    return switch (kind) {
      case PacketKind.PUBLISH -> publish(first, in, version);
      case PacketKind.PUBACK, PacketKind.PUBREC, PacketKind.PUBREL, PacketKind.PUBCOMP ->
          ack(kind, in, version);
      case PacketKind.SUBSCRIBE -> subscribe(in, version);
      case PacketKind.UNSUBSCRIBE -> unsubscribe(in, version);
      case PacketKind.PINGREQ -> {
        in.requireEnd("PINGREQ");
        yield new MqttPacket.PingRequest();
      }
      case PacketKind.DISCONNECT -> disconnect(in, version);
      case PacketKind.AUTH -> auth(in, version);
      case PacketKind.CONNECT -> throw MqttFault.protocol("CONNECT is repeated");
      default -> throw MqttFault.protocol("packet of kind " + kind + " is not one of clients");
    };
  }

  private static MqttPacket.Connect connect(PacketBody in) throws MqttFault {
    MqttVersion version = version(in);
    int flags = in.oneByte("connect flags");
    checkFlags(flags, version);
    int keepAlive = in.twoBytes("keep alive");
    PacketProperties properties = properties(in, version, PacketProperties.OF_CONNECT);
    if (properties.has(PacketProperties.AUTHENTICATION_DATA)
        && !properties.has(PacketProperties.AUTHENTICATION_METHOD)) {
      throw MqttFault.protocol("authentication data without method");
    }
    String clientId = in.text("client identifier");
    MqttPacket.Will will = (flags & WILL) == 0 ? null : will(in, flags, version);
    String user = (flags & USER) == 0 ? null : in.text("user name");
    byte[] password = (flags & PASSWORD) == 0 ? null : in.binary("password");
    in.requireEnd("CONNECT");
    return new MqttPacket.Connect(
        version, (flags & CLEAN_START) != 0, keepAlive, properties, clientId, will, user, password);
  }

  private static MqttVersion version(PacketBody in) throws MqttFault {
    String name = in.text("protocol name");
    int level = in.oneByte("protocol version");
    for (MqttVersion each : MqttVersion.values()) {
      if (name.equals(NAME) && level == each.level()) {
        return each;
      }
    }
    String why = "protocol \"%s\" version %d; supported are MQTT 4 (3.1.1) and 5";
    throw new MqttFault(MqttReason.UNSUPPORTED_VERSION, why.formatted(name, level));
  }

  private static void checkFlags(int flags, MqttVersion version) throws MqttFault {
    int willQos = qos(flags, 3);
    if ((flags & RESERVED) != 0) {
      throw MqttFault.malformed("reserved connect flag is set");
    }
    if (willQos > MAX_QOS) {
      throw MqttFault.malformed("QoS of the will is 3");
    }
    if ((flags & WILL) == 0 && (willQos > 0 || (flags & WILL_RETAIN) != 0)) {
      throw MqttFault.malformed("flags of a will without will");
    }
    if (version == MqttVersion.V3_1_1 && (flags & USER) == 0 && (flags & PASSWORD) != 0) {
      throw MqttFault.malformed("password without user name");
    }
  }

  private static MqttPacket.Will will(PacketBody in, int flags, MqttVersion version)
      throws MqttFault {
    PacketProperties properties = properties(in, version, PacketProperties.OF_WILL);
    String topic = topic(in.text("will topic"));
    if (topic.isEmpty()) {
      throw new MqttFault(MqttReason.TOPIC_NAME_INVALID, "will topic is empty");
    }
    byte[] payload = in.binary("will payload");
    boolean retain = (flags & WILL_RETAIN) != 0;
    return new MqttPacket.Will(topic, payload, qos(flags, 3), retain, properties);
  }

  private static int qos(int flags, int shift) {
    return flags >> shift & 3;
  }

  private static PacketProperties properties(PacketBody in, MqttVersion version, long allowed)
      throws MqttFault {
    return version.hasProperties() ? PacketProperties.read(in, allowed) : PacketProperties.NONE;
  }

  private static String topic(String name) throws MqttFault {
    if (name.indexOf('#') >= 0 || name.indexOf('+') >= 0) {
      throw new MqttFault(
          MqttReason.TOPIC_NAME_INVALID, "topic \"" + name + "\" contains a wildcard");
    }
    return name;
  }

  private static MqttPacket.Publish publish(int first, PacketBody in, MqttVersion version)
      throws MqttFault {
    int qos = qos(first, 1);
    boolean dup = (first & PacketKind.DUP) != 0;
    if (qos > MAX_QOS) {
      throw MqttFault.malformed("QoS is 3");
    }
    if (qos == 0 && dup) {
      throw MqttFault.malformed("DUP is set with QoS 0");
    }
    String topic = topic(in.text("topic name"));
    int id = qos == 0 ? 0 : in.packetId();
    PacketProperties properties = properties(in, version, PacketProperties.OF_PUBLISH);
    if (topic.isEmpty() && !properties.has(PacketProperties.TOPIC_ALIAS)) {
      throw MqttFault.protocol("topic name is empty");
    }
    boolean retain = (first & PacketKind.RETAIN) != 0;
    return new MqttPacket.Publish(topic, id, qos, dup, retain, properties, in.rest());
  }

  private static MqttPacket.Ack ack(int kind, PacketBody in, MqttVersion version) throws MqttFault {
    int id = in.packetId();
    int reason = 0;
    if (version.hasProperties() && !in.isEmpty()) {
      reason = in.oneByte("reason code");
      if (!in.isEmpty()) {
        PacketProperties.read(in, PacketProperties.OF_ACK);
      }
    }
    in.requireEnd("acknowledgement");
    return new MqttPacket.Ack(kind, id, reason);
  }

  private static MqttPacket.Subscribe subscribe(PacketBody in, MqttVersion version)
      throws MqttFault {
    int id = in.packetId();
    PacketProperties properties = properties(in, version, PacketProperties.OF_SUBSCRIBE);
    int subscriptionId = (int) properties.number(PacketProperties.SUBSCRIPTION_ID, 0);
    List<MqttPacket.Filter> filters = new ArrayList<>(1);
    do {
      String filter = in.text("topic filter");
      int options = in.oneByte("subscription options");
      filters.add(filter(filter, options, subscriptionId, version));
    } while (!in.isEmpty());
    return new MqttPacket.Subscribe(id, filters);
  }

  private static MqttPacket.Filter filter(
      String filter, int options, int subscriptionId, MqttVersion version) throws MqttFault {
    int reserved = version.hasProperties() ? RESERVED_OPTIONS : ~3;
    int qos = options & 3;
    int handling = options >> RETAIN_HANDLING_SHIFT & 3;
    if ((options & reserved) != 0 || qos > MAX_QOS || handling > 2) {
      throw MqttFault.malformed("subscription options are 0x" + Integer.toHexString(options));
    }
    boolean noLocal = (options & NO_LOCAL) != 0;
    if (noLocal && filter.startsWith("$share/")) {
      throw MqttFault.protocol("No Local is set for a shared subscription");
    }
    return new MqttPacket.Filter(
        filter, qos, noLocal, (options & RETAIN_AS_PUBLISHED) != 0, handling, subscriptionId);
  }

  private static MqttPacket.Unsubscribe unsubscribe(PacketBody in, MqttVersion version)
      throws MqttFault {
    int id = in.packetId();
    properties(in, version, PacketProperties.OF_UNSUBSCRIBE);
    List<String> filters = new ArrayList<>(1);
    do {
      filters.add(in.text("topic filter"));
    } while (!in.isEmpty());
    return new MqttPacket.Unsubscribe(id, filters);
  }

  private static MqttPacket.Disconnect disconnect(PacketBody in, MqttVersion version)
      throws MqttFault {
    int reason = 0;
    PacketProperties properties = PacketProperties.NONE;
    if (version.hasProperties() && !in.isEmpty()) {
      reason = in.oneByte("reason code");
      if (!in.isEmpty()) {
        properties = PacketProperties.read(in, PacketProperties.OF_DISCONNECT);
      }
    }
    in.requireEnd("DISCONNECT");
    return new MqttPacket.Disconnect(reason, properties);
  }

  private static MqttPacket.Auth auth(PacketBody in, MqttVersion version) throws MqttFault {
    if (!version.hasProperties()) {
      throw MqttFault.protocol("AUTH is not a packet of MQTT 3.1.1");
    }
    int reason = 0;
    if (!in.isEmpty()) {
      reason = in.oneByte("reason code");
      if (!in.isEmpty()) {
        PacketProperties.read(in, PacketProperties.OF_AUTH);
      }
    }
    in.requireEnd("AUTH");
    return new MqttPacket.Auth(reason);
  }
}
