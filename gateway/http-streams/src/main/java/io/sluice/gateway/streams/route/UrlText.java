package io.sluice.gateway.streams.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;

/** Decoder of percent-encoded parts of a URL: RFC 3986, section 2.1. Stateless, for any thread. */
final class UrlText {
  private UrlText() {}

  /**
   * Returns the decoded text, or null if it is malformed: an incomplete escape, or not UTF-8.
   *
   * @param plusIsSpace whether {@code +} is a space, as in the query of a form
   */
  static String decode(String encoded, boolean plusIsSpace) {
    if (encoded.indexOf('%') < 0 && (!plusIsSpace || encoded.indexOf('+') < 0)) {
      return encoded;
    }
    ByteBuffer bytes = ByteBuffer.allocate(3 * encoded.length());
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (c == '%') {
        int value = escaped(encoded, i);
        if (value < 0) {
          return null;
        }
        bytes.put((byte) value);
        i += 2;
      } else {
        bytes.put(UTF_8.encode(String.valueOf(c == '+' && plusIsSpace ? ' ' : c)));
      }
    }
    return text(bytes.flip());
  }

  /** Returns the byte of the escape at an index, or -1. */
  private static int escaped(String text, int at) {
    boolean complete =
        at + 2 < text.length()
            && HexFormat.isHexDigit(text.charAt(at + 1))
            && HexFormat.isHexDigit(text.charAt(at + 2));
    return complete ? HexFormat.fromHexDigits(text, at + 1, at + 3) : -1;
  }

  private static String text(ByteBuffer utf8) {
    try {
      return UTF_8.newDecoder().decode(utf8).toString();
    } catch (CharacterCodingException malformed) {
      return null;
    }
  }
}
