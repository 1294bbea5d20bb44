package io.sluice.gateway.mqtt;

/** Versions of the protocol that a node speaks. */
enum MqttVersion {
  V3_1_1(4),
  V5(5);

  private final int level;

  MqttVersion(int level) {
    this.level = level;
  }

  /** Returns the protocol level of CONNECT. */
  int level() {
    return level;
  }

  boolean hasProperties() {
    return this == V5;
  }
}
