package io.sluice.gateway.broker.jms.message;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.protocol.value.JsonValue;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageEOFException;
import jakarta.jms.StreamMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Map;

/**
 * Writer of maps, streams and properties of JMS messages as JSON. Stateless; any thread.
 *
 * <p>Values have the forms of {@link JsonValue}. Some providers accept maps, collections and arrays
 * as values; these become objects and arrays. A value of another type is refused.
 */
public final class JsonBodyWriter {
  /** Maximum number of nested objects and arrays, which also limits a map that contains itself. */
  public static final int MAX_DEPTH = 32;

  /** Class of the texts in nested maps and lists that Classic's client has received. */
  private static final String CLASSIC_TEXT = "org.fusesource.hawtbuf.UTF8Buffer";

  private JsonBodyWriter() {}

  /** Reports that a message has no JSON form; its text says which part. */
  public static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final GapReason reason;

    private Refusal(GapReason reason, String problem) {
      super(problem, null, false, false); // carries a value, not a bug: no stack trace
      this.reason = reason;
    }

    /** Returns {@link GapReason#TOO_LARGE} or {@link GapReason#UNSUPPORTED}. */
    public GapReason reason() {
      return reason;
    }
  }

  /** Reports that the output exceeds its limit. */
  private static final class LimitExceeded extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Part of a JSON text. */
  private interface Content {
    void write(JsonGenerator out) throws JMSException, IOException, Refusal;
  }

  /** Bytes up to a limit. */
  private static final class LimitedOutput extends OutputStream {
    private final long max;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    LimitedOutput(long max) {
      this.max = max;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      if (bytes.size() + (long) length > max) {
        throw new LimitExceeded();
      }
      bytes.write(from, offset, length);
    }

    byte[] toByteArray() {
      return bytes.toByteArray();
    }
  }

  /**
   * Returns a map as a JSON object.
   *
   * @throws Refusal if it exceeds a number of bytes, or contains a value without a JSON form
   */
  public static byte[] map(MapMessage message, long maxBytes)
      throws JMSException, IOException, Refusal {
    return json(
        out -> {
          out.writeStartObject();
          for (Enumeration<?> names = message.getMapNames(); names.hasMoreElements(); ) {
            String name = (String) names.nextElement();
            writeName(name, out);
            write(message.getObject(name), out, 1);
          }
          out.writeEndObject();
        },
        maxBytes);
  }

  /** Returns members as a JSON object; errors are those of {@link #map}. */
  public static byte[] object(Map<String, Object> members, long maxBytes)
      throws JMSException, IOException, Refusal {
    return json(out -> writeMap(members, out, 1), maxBytes);
  }

  /** Returns a stream as a JSON array; errors are those of {@link #map}. */
  public static byte[] stream(StreamMessage message, long maxBytes)
      throws JMSException, IOException, Refusal {
    return json(
        out -> {
          out.writeStartArray();
          while (writeNext(message, out)) {
            // until the stream ends
          }
          out.writeEndArray();
        },
        maxBytes);
  }

  private static byte[] json(Content content, long maxBytes)
      throws JMSException, IOException, Refusal {
    LimitedOutput bytes = new LimitedOutput(maxBytes);
    try (JsonGenerator out = JsonText.generator(bytes)) {
      content.write(out);
    } catch (LimitExceeded e) {
      throw new Refusal(GapReason.TOO_LARGE, "more than " + maxBytes + " bytes");
    } catch (JsonValue.Unrepresentable e) {
      throw new Refusal(GapReason.UNSUPPORTED, e.getMessage());
    }
    return bytes.toByteArray();
  }

  private static boolean writeNext(StreamMessage message, JsonGenerator out)
      throws JMSException, IOException, Refusal {
    Object value;
    try {
      value = message.readObject();
    } catch (MessageEOFException e) {
      return false; // JMS signals the end only by this exception
    }
    write(value, out, 1);
    return true;
  }

  private static void write(Object value, JsonGenerator out, int depth)
      throws IOException, Refusal {
    if (isContainer(value) && depth == MAX_DEPTH) {
      throw new Refusal(GapReason.UNSUPPORTED, "more than " + MAX_DEPTH + " nested values");
    }
    if (value instanceof Map<?, ?> map) {
      writeMap(map, out, depth + 1);
    } else if (value instanceof Collection<?> list) {
      out.writeStartArray();
      for (Object each : list) {
        write(each, out, depth + 1);
      }
      out.writeEndArray();
    } else if (isContainer(value)) {
      writeArray(value, out, depth + 1);
    } else {
      JsonValue.write(isClassicText(value) ? value.toString() : value, out);
    }
  }

  // By name, because the client may come from broker.jars.
  private static boolean isClassicText(Object value) {
    return value != null && value.getClass().getName().equals(CLASSIC_TEXT);
  }

  /** Returns whether a value becomes an object or an array. Properties must not. */
  public static boolean isContainer(Object value) {
    return value instanceof Map
        || value instanceof Collection
        || value != null && value.getClass().isArray() && !(value instanceof byte[]);
  }

  private static void writeMap(Map<?, ?> map, JsonGenerator out, int depth)
      throws IOException, Refusal {
    out.writeStartObject();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (!(entry.getKey() instanceof String name)) {
        throw new Refusal(GapReason.UNSUPPORTED, "a name in a map is no text");
      }
      writeName(name, out);
      write(entry.getValue(), out, depth);
    }
    out.writeEndObject();
  }

  // A replaced surrogate could make two names equal, and a reader would keep one value.
  private static void writeName(String name, JsonGenerator out) throws IOException, Refusal {
    if (!JsonText.isWellFormed(name)) {
      throw new Refusal(
          GapReason.UNSUPPORTED, "a name in a map has an unpaired surrogate: " + name);
    }
    out.writeFieldName(name);
  }

  private static void writeArray(Object array, JsonGenerator out, int depth)
      throws IOException, Refusal {
    out.writeStartArray();
    for (int i = 0; i < Array.getLength(array); i++) {
      write(Array.get(array, i), out, depth);
    }
    out.writeEndArray();
  }
}
