package io.sluice.gateway.mqtt;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/** Options, formats and clients of a node for MQTT. For any thread. */
final class MqttNode {
  private final MqttOptions options;
  private final ClientRegistry clients = new ClientRegistry(ClientRegistry.MAX_BYTES);
  private final List<MqttFormat> formats = new ArrayList<>();
  private final List<PacketWriter> writers = new ArrayList<>();

  MqttNode(MqttOptions options) {
    this.options = options;
    addFormats(true);
    if (!options.ports().isEmpty()) {
      addFormats(false);
    }
  }

  private void addFormats(boolean webSocket) {
    for (MqttVersion each : MqttVersion.values()) {
      formats.add(new MqttFormat(each, webSocket));
      writers.add(new PacketWriter(PooledByteBufAllocator.DEFAULT, each, webSocket));
    }
  }

  MqttOptions options() {
    return options;
  }

  ClientRegistry clients() {
    return clients;
  }

  List<MqttFormat> formats() {
    return formats;
  }

  MqttFormat format(MqttVersion version, boolean webSocket) {
    return formats.get(index(version, webSocket));
  }

  PacketWriter writer(MqttVersion version, boolean webSocket) {
    return writers.get(index(version, webSocket));
  }

  private static int index(MqttVersion version, boolean webSocket) {
    return version.ordinal() + (webSocket ? 0 : MqttVersion.values().length);
  }
}
