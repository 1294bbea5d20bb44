package io.sluice.gateway.mqtt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Properties of one packet of a client: section 2.2.2 of MQTT 5. Immutable, for any thread. */
final class PacketProperties {
  static final int PAYLOAD_FORMAT = 0x01;
  static final int MESSAGE_EXPIRY = 0x02;
  static final int CONTENT_TYPE = 0x03;
  static final int RESPONSE_TOPIC = 0x08;
  static final int CORRELATION_DATA = 0x09;
  static final int SUBSCRIPTION_ID = 0x0B;
  static final int SESSION_EXPIRY = 0x11;
  static final int ASSIGNED_CLIENT_ID = 0x12;
  static final int SERVER_KEEP_ALIVE = 0x13;
  static final int AUTHENTICATION_METHOD = 0x15;
  static final int AUTHENTICATION_DATA = 0x16;
  static final int REQUEST_PROBLEM_INFORMATION = 0x17;
  static final int WILL_DELAY = 0x18;
  static final int REQUEST_RESPONSE_INFORMATION = 0x19;
  static final int SERVER_REFERENCE = 0x1C;
  static final int REASON_STRING = 0x1F;
  static final int RECEIVE_MAXIMUM = 0x21;
  static final int TOPIC_ALIAS_MAXIMUM = 0x22;
  static final int TOPIC_ALIAS = 0x23;
  static final int MAXIMUM_QOS = 0x24;
  static final int RETAIN_AVAILABLE = 0x25;
  static final int USER_PROPERTY = 0x26;
  static final int MAXIMUM_PACKET_SIZE = 0x27;
  static final int SHARED_SUBSCRIPTIONS_AVAILABLE = 0x2A;

  static final PacketProperties NONE = new PacketProperties(Map.of(), List.of());

  static final long OF_CONNECT =
      bits(
          SESSION_EXPIRY,
          AUTHENTICATION_METHOD,
          AUTHENTICATION_DATA,
          REQUEST_PROBLEM_INFORMATION,
          REQUEST_RESPONSE_INFORMATION,
          RECEIVE_MAXIMUM,
          TOPIC_ALIAS_MAXIMUM,
          USER_PROPERTY,
          MAXIMUM_PACKET_SIZE);
  static final long OF_WILL =
      bits(
          WILL_DELAY,
          PAYLOAD_FORMAT,
          MESSAGE_EXPIRY,
          CONTENT_TYPE,
          RESPONSE_TOPIC,
          CORRELATION_DATA,
          USER_PROPERTY);
  static final long OF_PUBLISH =
      bits(
          PAYLOAD_FORMAT,
          MESSAGE_EXPIRY,
          CONTENT_TYPE,
          RESPONSE_TOPIC,
          CORRELATION_DATA,
          TOPIC_ALIAS,
          USER_PROPERTY);
  static final long OF_SUBSCRIBE = bits(SUBSCRIPTION_ID, USER_PROPERTY);
  static final long OF_UNSUBSCRIBE = bits(USER_PROPERTY);
  static final long OF_ACK = bits(REASON_STRING, USER_PROPERTY);
  static final long OF_DISCONNECT = bits(SESSION_EXPIRY, REASON_STRING, USER_PROPERTY);
  static final long OF_AUTH =
      bits(AUTHENTICATION_METHOD, AUTHENTICATION_DATA, REASON_STRING, USER_PROPERTY);

  private final Map<Integer, Object> values;
  private final List<UserProperty> user;

  /** Name and value that the application chose; names may be repeated. */
  record UserProperty(String name, String value) {}

  private PacketProperties(Map<Integer, Object> values, List<UserProperty> user) {
    this.values = values;
    this.user = user;
  }

  private static long bits(int... ids) {
    long bits = 0;
    for (int id : ids) {
      bits |= 1L << id;
    }
    return bits;
  }

  /**
   * Reads the properties with their length.
   *
   * @param allowed identifiers that the packet may have, as a bit set
   */
  static PacketProperties read(PacketBody in, long allowed) throws MqttFault {
    int length = in.variable("property length");
    if (length == 0) {
      return NONE;
    }
    PacketBody part = in.part(length, "properties");
    Map<Integer, Object> values = new HashMap<>();
    List<UserProperty> user = new ArrayList<>(0);
    while (!part.isEmpty()) {
      int id = part.variable("property identifier");
      if (id >= Long.SIZE || (allowed & 1L << id) == 0) {
        String hex = Integer.toHexString(id);
        throw MqttFault.malformed("property 0x" + hex + " is not one of this packet");
      }
      if (id == USER_PROPERTY) {
        user.add(new UserProperty(part.text("user property"), part.text("user property")));
      } else if (values.put(id, value(part, id)) != null) {
        throw MqttFault.protocol("property 0x" + Integer.toHexString(id) + " occurs twice");
      }
    }
    return new PacketProperties(values, List.copyOf(user));
  }

  private static Object value(PacketBody in, int id) throws MqttFault {
    String field = "property 0x" + Integer.toHexString(id);
    return switch (id) {
      case PAYLOAD_FORMAT, REQUEST_PROBLEM_INFORMATION, REQUEST_RESPONSE_INFORMATION ->
          flag(in.oneByte(field), field);
      case RECEIVE_MAXIMUM -> positive(in.twoBytes(field), field);
      case TOPIC_ALIAS -> alias(in.twoBytes(field));
      case TOPIC_ALIAS_MAXIMUM -> (long) in.twoBytes(field);
      case MAXIMUM_PACKET_SIZE -> positive(in.fourBytes(field), field);
      case MESSAGE_EXPIRY, SESSION_EXPIRY, WILL_DELAY -> in.fourBytes(field);
      case SUBSCRIPTION_ID -> positive(in.variable(field), field);
      case CORRELATION_DATA, AUTHENTICATION_DATA -> in.binary(field);
      default -> in.text(field);
    };
  }

  private static long flag(long value, String field) throws MqttFault {
    if (value > 1) {
      throw MqttFault.protocol(field + " is " + value + ", not 0 or 1");
    }
    return value;
  }

  private static long positive(long value, String field) throws MqttFault {
    if (value == 0) {
      throw MqttFault.protocol(field + " is 0");
    }
    return value;
  }

  private static long alias(long value) throws MqttFault {
    if (value == 0) {
      throw new MqttFault(MqttReason.TOPIC_ALIAS_INVALID, "topic alias is 0");
    }
    return value;
  }

  boolean has(int id) {
    return values.containsKey(id);
  }

  /** Returns a number, or a default if it is absent. */
  long number(int id, long absent) {
    return values.get(id) instanceof Long value ? value : absent;
  }

  /** Returns a text, or null. */
  String text(int id) {
    return values.get(id) instanceof String value ? value : null;
  }

  /** Returns bytes, or null. */
  byte[] bytes(int id) {
    return values.get(id) instanceof byte[] value ? value : null;
  }

  List<UserProperty> user() {
    return user;
  }
}
