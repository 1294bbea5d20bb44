package io.sluice.gateway.cli.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.protocol.value.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.event.KeyValuePair;

/**
 * Encoder of log events as one JSON object per line, in UTF-8. It contains the time (RFC 3339), the
 * level, logger, thread and formatted message, the key-value pairs with their JSON types, and the
 * error. For any thread.
 */
public final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** Fields of every line; a key-value pair of the same name receives an underscore. */
  private static final Set<String> FIELDS =
      Set.of("time", "level", "logger", "thread", "message", "error");

  @Override
  public byte[] headerBytes() {
    return null;
  }

  @Override
  public byte[] footerBytes() {
    return null;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    try (JsonGenerator json = JsonText.generator(line)) {
      json.writeStartObject();
      json.writeStringField("time", TIME.format(time(event)));
      json.writeStringField("level", event.getLevel().toString());
      json.writeStringField("logger", event.getLoggerName());
      json.writeStringField("thread", event.getThreadName());
      json.writeStringField("message", event.getFormattedMessage());
      writePairs(json, event.getKeyValuePairs());
      writeError(json, event.getThrowableProxy());
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the stream is in memory
    }
    line.write('\n');
    return line.toByteArray();
  }

  private static Instant time(ILoggingEvent event) {
    Instant precise = event.getInstant();
    return precise == null ? Instant.ofEpochMilli(event.getTimeStamp()) : precise;
  }

  private static void writePairs(JsonGenerator json, List<KeyValuePair> pairs) throws IOException {
    if (pairs != null) {
      for (KeyValuePair pair : pairs) {
        json.writeFieldName(FIELDS.contains(pair.key) ? pair.key + "_" : pair.key);
        writeValue(json, pair.value);
      }
    }
  }

  private static void writeError(JsonGenerator json, IThrowableProxy error) throws IOException {
    if (error != null) {
      json.writeStringField("error", ThrowableProxyUtil.asString(error));
    }
  }

  private static void writeValue(JsonGenerator json, Object value) throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value instanceof Number number) {
      writeNumber(json, number);
    } else if (value instanceof Collection<?> elements) {
      json.writeStartArray();
      for (Object element : elements) {
        writeValue(json, element);
      }
      json.writeEndArray();
    } else if (value instanceof Map<?, ?> entries) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : entries.entrySet()) {
        json.writeFieldName(String.valueOf(entry.getKey()));
        writeValue(json, entry.getValue());
      }
      json.writeEndObject();
    } else {
      json.writeString(value.toString());
    }
  }

  // JSON has neither infinity nor NaN.
  private static void writeNumber(JsonGenerator json, Number number) throws IOException {
    if (number instanceof Double || number instanceof Float) {
      double value = number.doubleValue();
      if (Double.isFinite(value)) {
        json.writeNumber(value);
      } else {
        json.writeString(number.toString());
      }
    } else {
      json.writeNumber(number.toString());
    }
  }
}
