package io.sluice.gateway.revocation;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.protocol.value.JsonReader;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Line of the file of revocations: a checksum in hexadecimal, a space, and a JSON object in ASCII.
 * Stateless, for any thread.
 */
final class RevocationLine {
  private static final int CHECKSUM_LENGTH = 8;

  private RevocationLine() {}

  /** Line that cannot be read. */
  static final class DamagedLine extends Exception {
    private static final long serialVersionUID = 1;

    DamagedLine(String what) {
      super(what);
    }
  }

  /** Returns the line of a revocation, without a line feed. */
  static String write(Revocation revocation) {
    StringWriter json = new StringWriter();
    try (JsonGenerator out = JsonText.asciiGenerator(json)) {
      out.writeStartObject();
      out.writeStringField("kind", revocation.kind().word());
      out.writeStringField("value", revocation.value());
      out.writeNumberField("since", revocation.sinceMs());
      out.writeNumberField("until", revocation.untilMs());
      out.writeNumberField("removed", revocation.removedMs());
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot be written", e);
    }
    return checksum(json.toString()) + " " + json;
  }

  private static String checksum(String json) {
    CRC32 checksum = new CRC32();
    checksum.update(json.getBytes(StandardCharsets.US_ASCII));
    return String.format("%08x", checksum.getValue());
  }

  /** Reads a line. */
  static Revocation read(String line) throws DamagedLine {
    if (line.length() <= CHECKSUM_LENGTH || line.charAt(CHECKSUM_LENGTH) != ' ') {
      throw new DamagedLine("no checksum");
    }
    String json = line.substring(CHECKSUM_LENGTH + 1);
    if (!line.substring(0, CHECKSUM_LENGTH).equals(checksum(json))) {
      throw new DamagedLine("wrong checksum, expected " + checksum(json));
    }
    try {
      Map<String, String> fields = fields(json);
      Revocation.Kind kind = Revocation.Kind.of(fields.get("kind"));
      if (kind == null) {
        throw new DamagedLine("unknown kind " + fields.get("kind"));
      }
      return new Revocation(
          kind,
          fields.getOrDefault("value", ""),
          number(fields, "since"),
          number(fields, "until"),
          number(fields, "removed"));
    } catch (IOException | IllegalArgumentException e) {
      throw new DamagedLine(e.toString());
    }
  }

  private static Map<String, String> fields(String json) throws IOException {
    Map<String, String> fields = new HashMap<>();
    try (JsonParser parser = JsonReader.parser(json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not a JSON object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        fields.put(name, parser.getText());
        parser.skipChildren();
      }
    }
    return fields;
  }

  private static long number(Map<String, String> fields, String name) {
    return Long.parseLong(fields.getOrDefault(name, "0"));
  }
}
