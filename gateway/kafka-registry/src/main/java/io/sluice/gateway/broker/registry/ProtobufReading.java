package io.sluice.gateway.broker.registry;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.sluice.gateway.protocol.value.JsonValue;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writer of messages in the JSON mapping of Protobuf, with the fields that have no presence. Used
 * by one thread.
 *
 * @param messages messages that an Any may contain, by their full name
 */
record ProtobufReading(JsonGenerator out, Map<String, Descriptor> messages) {
  void write(Message message, int depth) throws IOException {
    if (depth > ValueFormat.MAX_DEPTH) {
      throw new IOException("more than " + ValueFormat.MAX_DEPTH + " nested values");
    }
    switch (WellKnown.of(message.getDescriptorForType())) {
      case TIME -> out.writeString(WellKnown.time(message));
      case DURATION -> out.writeString(WellKnown.duration(message));
      case FIELD_MASK -> out.writeString(WellKnown.paths(message));
      case WRAPPER -> writeField(message, WellKnown.field(message, 1), depth);
      case STRUCT, LIST -> writeField(message, WellKnown.field(message, 1), depth + 1);
      case VALUE -> writeValue(message, depth);
      case ANY -> writeAny(message, depth);
      case NONE -> {
        out.writeStartObject();
        writeFields(message, depth);
        out.writeEndObject();
      }
    }
  }

  private void writeFields(Message message, int depth) throws IOException {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (!field.hasPresence() || message.hasField(field)) {
        out.writeFieldName(field.getJsonName());
        writeField(message, field, depth + 1);
      }
    }
  }

  private void writeField(Message message, FieldDescriptor field, int depth) throws IOException {
    Object value = message.getField(field);
    if (field.isMapField()) {
      writeMap(field, (List<?>) value, depth);
    } else if (field.isRepeated()) {
      out.writeStartArray();
      for (Object each : (List<?>) value) {
        writeSingle(field, each, depth);
      }
      out.writeEndArray();
    } else {
      writeSingle(field, value, depth);
    }
  }

  private void writeMap(FieldDescriptor field, List<?> entries, int depth) throws IOException {
    FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
    FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
    Map<String, Object> last = new LinkedHashMap<>(); // of equal keys, the last one counts
    for (Object entry : entries) {
      Message pair = (Message) entry;
      last.put(key(key, pair.getField(key)), pair.getField(value));
    }
    out.writeStartObject();
    for (Map.Entry<String, Object> entry : last.entrySet()) {
      out.writeFieldName(entry.getKey());
      writeSingle(value, entry.getValue(), depth);
    }
    out.writeEndObject();
  }

  private static String key(FieldDescriptor field, Object value) {
    return switch (field.getType()) {
      case UINT32, FIXED32 -> Integer.toUnsignedString((Integer) value);
      case UINT64, FIXED64 -> Long.toUnsignedString((Long) value);
      default -> value.toString();
    };
  }

  private void writeSingle(FieldDescriptor field, Object value, int depth) throws IOException {
    switch (field.getType()) {
      case UINT32, FIXED32 -> out.writeNumber(Integer.toUnsignedLong((Integer) value));
      case UINT64, FIXED64 -> out.writeString(Long.toUnsignedString((Long) value));
      case INT64, SINT64, SFIXED64 -> out.writeString(value.toString());
      case BYTES -> out.writeBinary(((ByteString) value).toByteArray());
      case ENUM -> writeEnum((EnumValueDescriptor) value);
      case MESSAGE, GROUP -> write((Message) value, depth);
      default -> JsonValue.write(value, out);
    }
  }

  private void writeEnum(EnumValueDescriptor value) throws IOException {
    if (WellKnown.isNull(value.getType())) {
      out.writeNull();
    } else if (value.getType().findValueByNumber(value.getNumber()) == null) {
      out.writeNumber(value.getNumber());
    } else {
      out.writeString(value.getName());
    }
  }

  private void writeValue(Message value, int depth) throws IOException {
    for (Map.Entry<FieldDescriptor, Object> kind : value.getAllFields().entrySet()) {
      writeSingle(kind.getKey(), kind.getValue(), depth);
      return;
    }
    out.writeNull();
  }

  /** Writes the message in an Any; one of an unknown type as base64. */
  private void writeAny(Message any, int depth) throws IOException {
    String url = (String) any.getField(WellKnown.field(any, 1));
    ByteString bytes = (ByteString) any.getField(WellKnown.field(any, 2));
    Descriptor type = messages.get(url.substring(url.lastIndexOf('/') + 1));
    out.writeStartObject();
    out.writeStringField("@type", url);
    if (type == null) {
      out.writeBinaryField("value", bytes.toByteArray());
    } else if (WellKnown.of(type) == WellKnown.NONE) {
      writeFields(DynamicMessage.parseFrom(type, bytes), depth + 1);
    } else {
      out.writeFieldName("value");
      write(DynamicMessage.parseFrom(type, bytes), depth + 1);
    }
    out.writeEndObject();
  }
}
