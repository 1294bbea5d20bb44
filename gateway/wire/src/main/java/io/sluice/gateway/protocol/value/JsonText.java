package io.sluice.gateway.protocol.value;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Writer of JSON text for frames and logs. The output is valid UTF-8 for any text: an unpaired
 * surrogate becomes U+FFFD. Stateless, for any thread.
 */
public final class JsonText {
  /** Maximum length of one escaped byte. */
  public static final int MAX_ESCAPED = 6;

  private static final int MAX_ASCII = 127;
  private static final char REPLACEMENT = '\ufffd';
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private JsonText() {}

  /** Returns a generator of JSON in UTF-8. */
  public static JsonGenerator generator(OutputStream out) throws IOException {
    return new WellFormed(JsonReader.JSON.createGenerator(out));
  }

  /** Returns a generator of JSON. */
  public static JsonGenerator generator(Writer out) throws IOException {
    return new WellFormed(JsonReader.JSON.createGenerator(out));
  }

  /** Returns a generator of JSON in ASCII, which keeps unpaired surrogates as escapes. */
  public static JsonGenerator asciiGenerator(Writer out) throws IOException {
    return JsonReader.JSON.createGenerator(out).setHighestNonEscapedChar(MAX_ASCII);
  }

  /** Returns a text as a JSON string with its quotation marks. */
  public static String quoted(String text) {
    StringWriter quoted = new StringWriter(text.length() + 2);
    try (JsonGenerator out = generator(quoted)) {
      out.writeString(text);
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot be written", e);
    }
    return quoted.toString();
  }

  /** Returns whether a text has no unpaired surrogate. */
  public static boolean isWellFormed(String text) {
    return unpaired(text, 0) < 0;
  }

  /** Returns a text whose unpaired surrogates are replaced by U+FFFD. */
  public static String wellFormed(String text) {
    int at = unpaired(text, 0);
    if (at < 0) {
      return text;
    }
    StringBuilder replaced = new StringBuilder(text);
    while (at >= 0) {
      replaced.setCharAt(at, REPLACEMENT);
      at = unpaired(text, at + 1);
    }
    return replaced.toString();
  }

  /** Returns the index of the first unpaired surrogate from an index on; -1 if there is none. */
  private static int unpaired(String text, int start) {
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        boolean pair =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!pair) {
          return i;
        }
        i++;
      }
    }
    return -1;
  }

  /**
   * Escapes UTF-8 for a JSON string.
   *
   * @param escaped receives the result; {@link #MAX_ESCAPED} bytes for each byte
   * @return length of the result
   */
  public static int escape(byte[] utf8, int from, int to, byte[] escaped) {
    int size = 0;
    for (int i = from; i < to; i++) {
      byte b = utf8[i];
      if (b >= 0 && b < ' ' || b == '"' || b == '\\') {
        size = escape(b, escaped, size);
      } else {
        escaped[size++] = b;
      }
    }
    return size;
  }

  private static int escape(byte b, byte[] escaped, int at) {
    int size = at;
    escaped[size++] = '\\';
    switch (b) {
      case '\b' -> escaped[size++] = 'b';
      case '\f' -> escaped[size++] = 'f';
      case '\n' -> escaped[size++] = 'n';
      case '\r' -> escaped[size++] = 'r';
      case '\t' -> escaped[size++] = 't';
      case '"', '\\' -> escaped[size++] = b;
      default -> {
        escaped[size++] = 'u';
        escaped[size++] = '0';
        escaped[size++] = '0';
        escaped[size++] = HEX[b >> 4];
        escaped[size++] = HEX[b & 15];
      }
    }
    return size;
  }

  /** Generator that replaces unpaired surrogates. */
  private static final class WellFormed extends JsonGeneratorDelegate {
    WellFormed(JsonGenerator out) {
      super(out, false);
    }

    @Override
    public void writeFieldName(String name) throws IOException {
      delegate.writeFieldName(wellFormed(name));
    }

    @Override
    public void writeString(String text) throws IOException {
      delegate.writeString(wellFormed(text));
    }
  }
}
