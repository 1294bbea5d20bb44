package io.sluice.gateway.broker.registry;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.protocol.value.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/**
 * Values of an Avro schema. Reading creates no objects for a value, because a few bytes may
 * describe millions of items: the limit of the output is the only one that is necessary.
 */
final class AvroFormat implements ValueFormat {
  private final Schema schema;

  private AvroFormat(Schema schema) {
    this.schema = schema;
  }

  /**
   * Parses a schema.
   *
   * @param references the schemas to which it refers, each after those to which it refers
   */
  static AvroFormat of(String text, List<String> references) throws UnusableSchema {
    // As lenient as the registry.
    Schema.Parser parser =
        new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false);
    try {
      for (String reference : references) {
        parser.parse(reference);
      }
      return new AvroFormat(parser.parse(text));
    } catch (AvroRuntimeException e) {
      throw new UnusableSchema("its schema is malformed", e);
    }
  }

  @Override
  public void read(ByteBuffer value, JsonGenerator out) throws IOException {
    BinaryDecoder in =
        DecoderFactory.get()
            .binaryDecoder(
                value.array(), value.arrayOffset() + value.position(), value.remaining(), null);
    new Reading(in, out).read(schema, 0);
    if (!in.isEnd()) {
      throw new IOException("bytes follow the value");
    }
  }

  @Override
  public void write(Object json, OutputStream out) throws IOException {
    BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
    new AvroWriting(encoder).write(schema, json, "");
    encoder.flush();
  }

  /** Reading of one value. */
  private record Reading(BinaryDecoder in, JsonGenerator out) {
    void read(Schema type, int depth) throws IOException {
      if (depth > MAX_DEPTH) {
        throw new IOException("more than " + MAX_DEPTH + " nested values");
      }
      switch (type.getType()) {
        case RECORD -> readRecord(type, depth + 1);
        case ARRAY -> readArray(type.getElementType(), depth + 1);
        case MAP -> readMap(type.getValueType(), depth + 1);
        case UNION -> read(element(type.getTypes(), in.readIndex()), depth);
        case ENUM -> out.writeString(element(type.getEnumSymbols(), in.readEnum()));
        case STRING -> out.writeString(text());
        case BYTES -> writeBytes(type, bytes(in.readLong()));
        case FIXED -> writeBytes(type, bytes(type.getFixedSize()));
        case INT -> writeInteger(type, in.readInt());
        case LONG -> writeInteger(type, in.readLong());
        case FLOAT -> JsonValue.write(in.readFloat(), out);
        case DOUBLE -> JsonValue.write(in.readDouble(), out);
        case BOOLEAN -> out.writeBoolean(in.readBoolean());
        case NULL -> out.writeNull();
      }
    }

    private void readRecord(Schema type, int depth) throws IOException {
      out.writeStartObject();
      for (Schema.Field field : type.getFields()) {
        out.writeFieldName(field.name());
        read(field.schema(), depth);
      }
      out.writeEndObject();
    }

    private void readArray(Schema items, int depth) throws IOException {
      out.writeStartArray();
      for (long left = in.readArrayStart(); left > 0; left = in.arrayNext()) {
        for (long item = 0; item < left; item++) {
          read(items, depth);
        }
      }
      out.writeEndArray();
    }

    private void readMap(Schema values, int depth) throws IOException {
      Set<String> names = new HashSet<>();
      out.writeStartObject();
      for (long left = in.readMapStart(); left > 0; left = in.mapNext()) {
        for (long entry = 0; entry < left; entry++) {
          String name = text();
          if (!names.add(name)) {
            throw new IOException("a map has a name twice");
          }
          out.writeFieldName(name);
          read(values, depth);
        }
      }
      out.writeEndObject();
    }

    private static <T> T element(List<T> all, int index) throws IOException {
      if (index < 0 || index >= all.size()) {
        throw new IOException("the schema has no branch or symbol " + index);
      }
      return all.get(index);
    }

    private String text() throws IOException {
      return new String(bytes(in.readLong()), StandardCharsets.UTF_8);
    }

    // The decoder would allocate as much as the length says.
    private byte[] bytes(long length) throws IOException {
      if (length < 0 || length > in.inputStream().available()) {
        throw new IOException("it ends before " + length + " bytes");
      }
      byte[] read = new byte[(int) length];
      in.readFixed(read);
      return read;
    }

    private void writeBytes(Schema type, byte[] value) throws IOException {
      String text = AvroLogical.text(type.getLogicalType(), value);
      if (text == null) {
        out.writeBinary(value);
      } else {
        out.writeString(text);
      }
    }

    private void writeInteger(Schema type, Number value) throws IOException {
      String text = AvroLogical.text(type.getLogicalType(), value.longValue());
      if (text == null) {
        JsonValue.write(value, out);
      } else {
        out.writeString(text);
      }
    }
  }
}
