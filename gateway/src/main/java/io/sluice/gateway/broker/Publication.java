package io.sluice.gateway.broker;

import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.Map;

/**
 * Message that a client publishes. Immutable, for any thread.
 *
 * @param topic a valid topic, no pattern
 * @param kind TEXT (UTF-8) or BYTES
 * @param payload the content
 * @param properties JMS property names to String, Long, Double or Boolean
 */
public record Publication(
    String topic, PayloadKind kind, byte[] payload, Map<String, Object> properties) {
  private static final int NUMBER_BYTES = 8;

  /** Heap bytes per property besides its text: the map's entry and the objects in it. */
  private static final int PROPERTY_OVERHEAD = 96;

  /** Returns the bytes of payload and properties; a number counts as 8 bytes. */
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

  /** Returns an estimate of its bytes on the heap. */
  public long size() {
    return bytes() + topic.length() + (long) PROPERTY_OVERHEAD * properties.size();
  }
}
