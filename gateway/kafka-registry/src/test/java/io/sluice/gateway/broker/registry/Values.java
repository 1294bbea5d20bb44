package io.sluice.gateway.broker.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Values of a format as hexadecimal digits and as JSON. Stateless. */
final class Values {
  private static final long LIMIT = 10_000;

  private Values() {}

  static String json(ValueFormat format, byte[] value) throws IOException {
    return json(format, value, LIMIT);
  }

  static String json(ValueFormat format, byte[] value, long limit) throws IOException {
    LimitedBytes bytes = new LimitedBytes(limit);
    try (JsonGenerator out = JsonText.generator(bytes)) {
      format.read(ByteBuffer.wrap(value), out);
    }
    return new String(bytes.toByteArray(), UTF_8);
  }

  /** Returns the JSON of a value in hexadecimal digits. */
  static String json(ValueFormat format, String hex) throws IOException {
    return json(format, HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  static byte[] bytes(ValueFormat format, String json) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    format.write(JsonTree.parse(json.getBytes(UTF_8)), bytes);
    return bytes.toByteArray();
  }

  /** Returns a value in hexadecimal digits. */
  static String hex(ValueFormat format, String json) throws IOException {
    return HexFormat.of().formatHex(bytes(format, json));
  }
}
