package io.sluice.gateway.broker;

import io.netty.buffer.ByteBufUtil;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.publish.StructuredBody;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Message that a client publishes. Immutable, for any thread.
 *
 * @param destination a valid topic or queue, no pattern
 * @param kind TEXT (UTF-8), BYTES, or JSON that {@link StructuredBody} reads
 * @param payload the content
 * @param properties JMS property names to String, Boolean or a number of the property's type
 * @param headers JMS headers; the id, if any, is unique in the broker
 */
public record Publication(
    Destination destination,
    PayloadKind kind,
    byte[] payload,
    Map<String, Object> properties,
    PublishHeaders headers) {
  private static final int NUMBER_BYTES = 8;

  /** Heap bytes per property besides its text: the map's entry and the objects in it. */
  private static final int PROPERTY_OVERHEAD = 96;

  /** Creates a message for a topic, without headers. */
  public Publication(
      String topic, PayloadKind kind, byte[] payload, Map<String, Object> properties) {
    this(Destination.topic(topic), kind, payload, properties, PublishHeaders.DEFAULT);
  }

  /** Returns this message with another value of a property. */
  public Publication withProperty(String name, Object value) {
    Map<String, Object> changed = new LinkedHashMap<>(properties);
    changed.put(name, value);
    return new Publication(destination, kind, payload, changed, headers);
  }

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
    return bytes()
        + destination.name().length()
        + (long) PROPERTY_OVERHEAD * properties.size()
        + headers.size();
  }
}
