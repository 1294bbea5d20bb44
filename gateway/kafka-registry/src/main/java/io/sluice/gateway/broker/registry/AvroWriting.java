package io.sluice.gateway.broker.registry;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.Encoder;

/** Writing of JSON as one Avro value, from the forms in which it is read. Used by one thread. */
final class AvroWriting {
  private final Encoder out;

  AvroWriting(Encoder out) {
    this.out = out;
  }

  void write(Schema type, Object json, String path) throws IOException {
    switch (type.getType()) {
      case RECORD -> writeRecord(type, json, path);
      case ARRAY -> writeArray(type.getElementType(), json, path);
      case MAP -> writeMap(type.getValueType(), json, path);
      case UNION -> writeUnion(type.getTypes(), json, path);
      case ENUM -> writeEnum(type, json, path);
      case STRING -> out.writeBytes(JsonTree.text(json, path).getBytes(StandardCharsets.UTF_8));
      case BYTES -> out.writeBytes(bytes(type, json, path));
      case FIXED -> out.writeFixed(fixed(type, json, path));
      case INT -> out.writeInt((int) integer(type, json, path, Integer.MIN_VALUE));
      case LONG -> out.writeLong(integer(type, json, path, Long.MIN_VALUE));
      case FLOAT -> out.writeFloat((float) JsonTree.number(json, path));
      case DOUBLE -> out.writeDouble(JsonTree.number(json, path));
      case BOOLEAN -> writeBoolean(json, path);
      case NULL -> writeNull(json, path);
    }
  }

  private void writeRecord(Schema type, Object json, String path) throws IOException {
    Map<?, ?> members = JsonTree.object(json, path);
    for (Schema.Field field : type.getFields()) {
      String child = Mismatch.path(path, field.name());
      if (members.containsKey(field.name())) {
        write(field.schema(), members.get(field.name()), child);
      } else if (field.hasDefaultValue()) {
        Object value = GenericData.get().getDefaultValue(field);
        new GenericDatumWriter<>(field.schema()).write(value, out);
      } else {
        throw new Mismatch(child, "is missing, and has no default");
      }
    }
    for (Object name : members.keySet()) {
      if (type.getField((String) name) == null) {
        throw new Mismatch(Mismatch.path(path, name), "is no field of " + type.getFullName());
      }
    }
  }

  private void writeArray(Schema items, Object json, String path) throws IOException {
    if (!(json instanceof List<?> elements)) {
      throw Mismatch.type(path, "an array", json);
    }
    out.writeArrayStart();
    out.setItemCount(elements.size());
    for (int i = 0; i < elements.size(); i++) {
      out.startItem();
      write(items, elements.get(i), Mismatch.path(path, i));
    }
    out.writeArrayEnd();
  }

  private void writeMap(Schema values, Object json, String path) throws IOException {
    Map<?, ?> members = JsonTree.object(json, path);
    out.writeMapStart();
    out.setItemCount(members.size());
    for (Map.Entry<?, ?> member : members.entrySet()) {
      out.startItem();
      String name = (String) member.getKey();
      out.writeBytes(name.getBytes(StandardCharsets.UTF_8));
      write(values, member.getValue(), Mismatch.path(path, name));
    }
    out.writeMapEnd();
  }

  // The first branch that looks like the value: to try each of them completely could take a time
  // that is exponential in the depth.
  private void writeUnion(List<Schema> branches, Object json, String path) throws IOException {
    for (int i = 0; i < branches.size(); i++) {
      if (resembles(branches.get(i), json)) {
        out.writeIndex(i);
        write(branches.get(i), json, path);
        return;
      }
    }
    List<String> names = branches.stream().map(Schema::getFullName).toList();
    throw Mismatch.type(path, "one of " + names, json);
  }

  private static boolean resembles(Schema branch, Object json) {
    return switch (branch.getType()) {
      case NULL -> json == null;
      case BOOLEAN -> json instanceof Boolean;
      case RECORD -> json instanceof Map<?, ?> members && hasFields(branch, members);
      case MAP -> json instanceof Map;
      case ARRAY -> json instanceof List;
      case ENUM -> json instanceof String symbol && branch.hasEnumSymbol(symbol);
      case STRING -> json instanceof String;
      case UNION -> false; // not in Avro
      default -> isScalar(branch, json);
    };
  }

  private static boolean isScalar(Schema branch, Object json) {
    if (json == null || json instanceof Map || json instanceof List) {
      return false;
    }
    try {
      switch (branch.getType()) {
        case INT -> integer(branch, json, "", Integer.MIN_VALUE);
        case LONG -> integer(branch, json, "", Long.MIN_VALUE);
        case BYTES -> bytes(branch, json, "");
        case FIXED -> fixed(branch, json, "");
        default -> JsonTree.number(json, "");
      }
      return true;
    } catch (Mismatch other) {
      return false;
    }
  }

  private static boolean hasFields(Schema type, Map<?, ?> members) {
    Set<Object> unknown = new HashSet<>(members.keySet());
    for (Schema.Field field : type.getFields()) {
      if (!unknown.remove(field.name()) && !field.hasDefaultValue()) {
        return false;
      }
    }
    return unknown.isEmpty();
  }

  private void writeEnum(Schema type, Object json, String path) throws IOException {
    if (!(json instanceof String symbol && type.hasEnumSymbol(symbol))) {
      throw Mismatch.type(path, "one of " + type.getEnumSymbols(), json);
    }
    out.writeEnum(type.getEnumOrdinal(symbol));
  }

  private void writeBoolean(Object json, String path) throws IOException {
    if (!(json instanceof Boolean flag)) {
      throw Mismatch.type(path, "true or false", json);
    }
    out.writeBoolean(flag);
  }

  private void writeNull(Object json, String path) throws IOException {
    if (json != null) {
      throw Mismatch.type(path, "null", json);
    }
    out.writeNull();
  }

  private static byte[] fixed(Schema type, Object json, String path) throws Mismatch {
    byte[] value = bytes(type, json, path);
    int size = type.getFixedSize();
    if (type.getLogicalType() != null && value.length < size) {
      byte[] padded = new byte[size];
      Arrays.fill(padded, (byte) (value[0] < 0 ? -1 : 0));
      System.arraycopy(value, 0, padded, size - value.length, value.length);
      return padded;
    }
    if (value.length != size) {
      throw new Mismatch(path, "has " + value.length + " bytes instead of " + size);
    }
    return value;
  }

  private static byte[] bytes(Schema type, Object json, String path) throws Mismatch {
    try {
      String given =
          json instanceof BigDecimal number ? number.toString() : JsonTree.text(json, path);
      byte[] decimal = AvroLogical.decimal(type.getLogicalType(), given);
      return decimal == null ? Base64.getDecoder().decode(JsonTree.text(json, path)) : decimal;
    } catch (NumberFormatException e) {
      throw Mismatch.type(path, "a decimal number", json);
    } catch (ArithmeticException e) {
      throw Mismatch.type(path, AvroLogical.decimalName(type.getLogicalType()), json);
    } catch (IllegalArgumentException e) {
      throw new Mismatch(path, "is not base64: " + e.getMessage());
    }
  }

  /** Returns a number, or that of a text: of a logical type, or of one that JSON would round. */
  private static long integer(Schema type, Object json, String path, long minimum) throws Mismatch {
    try {
      Long logical =
          json instanceof String text ? AvroLogical.number(type.getLogicalType(), text) : null;
      long value =
          logical == null ? JsonTree.decimal(json, path, "a number").longValueExact() : logical;
      if (value < minimum || value > ~minimum) {
        throw new ArithmeticException();
      }
      return value;
    } catch (ArithmeticException e) {
      throw Mismatch.type(path, minimum == Long.MIN_VALUE ? "a long" : "an int", json);
    } catch (DateTimeException e) {
      throw Mismatch.type(path, "a " + type.getLogicalType().getName() + " of ISO 8601", json);
    }
  }
}
