package io.sluice.gateway.broker;

import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.Map;

/**
 * A message that a client wants to publish.
 *
 * @param topic a valid topic, no pattern
 * @param kind TEXT (UTF-8) or BYTES
 * @param payload the content
 * @param properties JMS property names to String, Long, Double or Boolean
 */
public record Publication(
    String topic, PayloadKind kind, byte[] payload, Map<String, Object> properties) {
  private static final int NUMBER_BYTES = 8;

  /** What a property costs beside its text: its entry in the map, and the objects in that. */
  private static final int PROPERTY_OVERHEAD = 96;

  /** Bytes of what it says: payload and properties, whose numbers count as 8 bytes. */
  public long bytes() {
    long bytes = payload.length;
    for (Map.Entry<String, Object> property : properties.entrySet()) {
      bytes += ByteBufUtil.utf8Bytes(property.getKey()) + valueBytes(property.getValue());
    }
    return bytes;
  }

  private static int valueBytes(Object value) {
    return value instanceof String text ? ByteBufUtil.utf8Bytes(text) : NUMBER_BYTES;
  }

  /** Bytes that it keeps from the garbage collector, roughly. */
  public long size() {
    return bytes() + topic.length() + (long) PROPERTY_OVERHEAD * properties.size();
  }
}
