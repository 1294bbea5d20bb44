package io.sluice.gateway.broker.registry;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.DynamicMessage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parser of the JSON mapping of Protobuf. Used by one thread.
 *
 * @param messages messages that an Any may contain, by their full name
 */
record ProtobufWriting(Map<String, Descriptor> messages) {
  private static final BigInteger MAX_UNSIGNED =
      BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

  DynamicMessage message(Descriptor type, Object json, String path) throws Mismatch {
    WellKnown known = WellKnown.of(type);
    return switch (known) {
      case TIME, DURATION, FIELD_MASK -> known.parse(type, JsonTree.text(json, path), path);
      case WRAPPER -> single(type, 1, json, path);
      case STRUCT, LIST -> content(type, json, path);
      case VALUE -> value(type, json, path);
      case ANY -> any(type, JsonTree.object(json, path), path);
      case NONE -> fields(type, JsonTree.object(json, path), path);
    };
  }

  private DynamicMessage single(Descriptor type, int number, Object json, String path)
      throws Mismatch {
    FieldDescriptor field = type.findFieldByNumber(number);
    return DynamicMessage.newBuilder(type).setField(field, single(field, json, path)).build();
  }

  private DynamicMessage content(Descriptor type, Object json, String path) throws Mismatch {
    DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
    add(message, type.findFieldByNumber(1), json, path);
    return message.build();
  }

  /** Returns a Value, whose field depends on the type of the JSON. */
  private DynamicMessage value(Descriptor type, Object json, String path) throws Mismatch {
    String field =
        json == null
            ? "null_value"
            : json instanceof BigDecimal
                ? "number_value"
                : json instanceof String
                    ? "string_value"
                    : json instanceof Boolean
                        ? "bool_value"
                        : json instanceof Map ? "struct_value" : "list_value";
    return single(type, type.findFieldByName(field).getNumber(), json, path);
  }

  private DynamicMessage any(Descriptor type, Map<?, ?> json, String path) throws Mismatch {
    String url = JsonTree.text(json.get("@type"), Mismatch.path(path, "@type"));
    Descriptor content = messages.get(url.substring(url.lastIndexOf('/') + 1));
    if (content == null) {
      throw new Mismatch(path, "has an unknown @type " + url);
    }
    Map<Object, Object> members = new LinkedHashMap<>(json);
    members.remove("@type");
    DynamicMessage packed =
        WellKnown.of(content) == WellKnown.NONE
            ? fields(content, members, path)
            : message(content, members.get("value"), Mismatch.path(path, "value"));
    return DynamicMessage.newBuilder(type)
        .setField(type.findFieldByNumber(1), url)
        .setField(type.findFieldByNumber(2), packed.toByteString())
        .build();
  }

  private DynamicMessage fields(Descriptor type, Map<?, ?> members, String path) throws Mismatch {
    Map<String, FieldDescriptor> fields = new HashMap<>();
    for (FieldDescriptor field : type.getFields()) {
      fields.put(field.getName(), field);
      fields.put(field.getJsonName(), field);
    }
    DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
    for (Map.Entry<?, ?> member : members.entrySet()) {
      String child = Mismatch.path(path, member.getKey());
      FieldDescriptor field = fields.get(member.getKey());
      if (field == null) {
        throw new Mismatch(child, "is no field of " + type.getFullName());
      }
      if (member.getValue() != null || isNullable(field)) {
        requireOnce(message, field, child);
        add(message, field, member.getValue(), child);
      }
    }
    if (!message.isInitialized()) {
      List<String> missing = message.findInitializationErrors();
      throw new Mismatch(Mismatch.path(path, missing.get(0)), "is missing");
    }
    return message.build();
  }

  private static boolean isNullable(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case ENUM -> WellKnown.isNull(field.getEnumType());
      case MESSAGE ->
          !field.isRepeated() && WellKnown.of(field.getMessageType()) == WellKnown.VALUE;
      default -> false;
    };
  }

  private static void requireOnce(
      DynamicMessage.Builder message, FieldDescriptor field, String path) throws Mismatch {
    OneofDescriptor oneof = field.getContainingOneof();
    boolean repeats =
        oneof == null
            ? !field.isRepeated() && field.hasPresence() && message.hasField(field)
            : message.hasOneof(oneof);
    if (repeats) {
      throw new Mismatch(path, "is set together with another form of the same value");
    }
  }

  private void add(DynamicMessage.Builder message, FieldDescriptor field, Object json, String path)
      throws Mismatch {
    if (field.isMapField()) {
      addEntries(message, field, JsonTree.object(json, path), path);
    } else if (field.isRepeated()) {
      if (!(json instanceof List<?> elements)) {
        throw Mismatch.type(path, "an array", json);
      }
      for (int i = 0; i < elements.size(); i++) {
        message.addRepeatedField(field, single(field, elements.get(i), Mismatch.path(path, i)));
      }
    } else {
      message.setField(field, single(field, json, path));
    }
  }

  private void addEntries(
      DynamicMessage.Builder message, FieldDescriptor field, Map<?, ?> members, String path)
      throws Mismatch {
    Descriptor entry = field.getMessageType();
    FieldDescriptor key = entry.findFieldByNumber(1);
    FieldDescriptor value = entry.findFieldByNumber(2);
    for (Map.Entry<?, ?> member : members.entrySet()) {
      String child = Mismatch.path(path, member.getKey());
      Object parsed =
          key.getJavaType() == FieldDescriptor.JavaType.BOOLEAN
              ? bool(member.getKey(), child)
              : single(key, member.getKey(), child);
      message.addRepeatedField(
          field,
          DynamicMessage.newBuilder(entry)
              .setField(key, parsed)
              .setField(value, single(value, member.getValue(), child))
              .build());
    }
  }

  private static Boolean bool(Object key, String path) throws Mismatch {
    if (key.equals("true") || key.equals("false")) {
      return key.equals("true");
    }
    throw Mismatch.type(path, "true or false", key);
  }

  private Object single(FieldDescriptor field, Object json, String path) throws Mismatch {
    return switch (field.getType()) {
      case INT32, SINT32, SFIXED32 ->
          integer(json, path, "an int32", -1L << 31, (1L << 31) - 1).intValue();
      case UINT32, FIXED32 -> integer(json, path, "a uint32", 0, (1L << 32) - 1).intValue();
      case INT64, SINT64, SFIXED64 ->
          integer(json, path, "an int64", Long.MIN_VALUE, Long.MAX_VALUE).longValue();
      case UINT64, FIXED64 -> unsigned(json, path);
      case FLOAT -> (float) JsonTree.number(json, path);
      case DOUBLE -> JsonTree.number(json, path);
      case STRING -> JsonTree.text(json, path);
      case BYTES -> bytes(json, path);
      case ENUM -> constant(field.getEnumType(), json, path);
      case MESSAGE, GROUP -> message(field.getMessageType(), json, path);
      case BOOL -> {
        if (!(json instanceof Boolean)) {
          throw Mismatch.type(path, "true or false", json);
        }
        yield json;
      }
    };
  }

  private static ByteString bytes(Object json, String path) throws Mismatch {
    String text = JsonTree.text(json, path).replace('-', '+').replace('_', '/');
    try {
      return ByteString.copyFrom(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new Mismatch(path, "is not base64: " + e.getMessage());
    }
  }

  private static EnumValueDescriptor constant(EnumDescriptor type, Object json, String path)
      throws Mismatch {
    if (json == null && WellKnown.isNull(type)) {
      return type.getValues().get(0);
    }
    EnumValueDescriptor value =
        json instanceof String name
            ? type.findValueByName(name)
            : type.findValueByNumber(
                integer(json, path, "an enum", Integer.MIN_VALUE, Integer.MAX_VALUE).intValue());
    if (value == null) {
      throw Mismatch.type(path, "a value of " + type.getFullName(), json);
    }
    return value;
  }

  private static Number integer(Object json, String path, String expected, long min, long max)
      throws Mismatch {
    try {
      long value = JsonTree.decimal(json, path, expected).longValueExact();
      if (value >= min && value <= max) {
        return value;
      }
    } catch (ArithmeticException e) {
      // below
    }
    throw Mismatch.type(path, expected, json);
  }

  private static long unsigned(Object json, String path) throws Mismatch {
    BigDecimal number = JsonTree.decimal(json, path, "a uint64");
    try {
      if (number.signum() >= 0 && number.precision() - (long) number.scale() <= 20) {
        BigInteger value = number.toBigIntegerExact();
        if (value.compareTo(MAX_UNSIGNED) <= 0) {
          return value.longValue();
        }
      }
    } catch (ArithmeticException e) {
      // below
    }
    throw Mismatch.type(path, "a uint64", json);
  }
}
