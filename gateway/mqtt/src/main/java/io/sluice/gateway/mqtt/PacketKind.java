package io.sluice.gateway.mqtt;

/** Numbers of MQTT control packets: section 2.1.2 of the standard. */
final class PacketKind {
  static final int CONNECT = 1;
  static final int CONNACK = 2;
  static final int PUBLISH = 3;
  static final int PUBACK = 4;
  static final int PUBREC = 5;
  static final int PUBREL = 6;
  static final int PUBCOMP = 7;
  static final int SUBSCRIBE = 8;
  static final int SUBACK = 9;
  static final int UNSUBSCRIBE = 10;
  static final int UNSUBACK = 11;
  static final int PINGREQ = 12;
  static final int PINGRESP = 13;
  static final int DISCONNECT = 14;
  static final int AUTH = 15;

  /** Flags of PUBLISH in the first byte. */
  static final int RETAIN = 0x01;

  static final int QOS_1 = 0x02;
  static final int DUP = 0x08;

  private static final int RESERVED_FLAGS = 0x02;

  private PacketKind() {}

  /** Returns the number of a packet by its first byte. */
  static int of(int first) {
    return first >> 4 & 15;
  }

  /** Returns whether the flags in the first byte are those that the standard requires. */
  static boolean hasValidFlags(int first) {
    int flags = first & 15;
    return switch (of(first)) {
      case PUBLISH -> true;
      case PUBREL, SUBSCRIBE, UNSUBSCRIBE -> flags == RESERVED_FLAGS;
      default -> flags == 0;
    };
  }
}
