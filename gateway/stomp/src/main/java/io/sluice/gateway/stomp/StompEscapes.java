package io.sluice.gateway.stomp;

/** Escape sequences of headers in each version. Stateless, for any thread. */
final class StompEscapes {
  private StompEscapes() {}

  /** Returns a name or value as it is meant. */
  static String unescape(String raw, StompVersion version) throws BadStomp {
    int at = version.escapes() ? raw.indexOf('\\') : -1;
    if (at < 0) {
      return raw;
    }
    StringBuilder text = new StringBuilder(raw.length());
    int from = 0;
    while (at >= 0) {
      text.append(raw, from, at).append(meant(raw, at + 1, version));
      from = at + 2;
      at = raw.indexOf('\\', from);
    }
    return text.append(raw, from, raw.length()).toString();
  }

  private static char meant(String raw, int at, StompVersion version) throws BadStomp {
    char letter = at < raw.length() ? raw.charAt(at) : ' ';
    switch (letter) {
      case 'n':
        return '\n';
      case 'c':
        return ':';
      case '\\':
        return '\\';
      case 'r':
        if (version == StompVersion.V1_2) {
          return '\r';
        }
        break;
      default:
        break;
    }
    throw new BadStomp(
        "header \""
            + BadStomp.shortened(raw)
            + "\" has an escape sequence that STOMP "
            + version.text()
            + " does not define");
  }

  /**
   * Returns a name or value as it is sent. Version 1.0 cannot express line ends, and 1.1 no line
   * end of two characters; they become spaces.
   */
  static String escape(String text, StompVersion version) {
    StringBuilder out = null;
    for (int i = 0; i < text.length(); i++) {
      String sent = sent(text.charAt(i), version);
      if (sent != null && out == null) {
        out = new StringBuilder(text.length() + 8).append(text, 0, i);
      }
      if (out != null) {
        if (sent == null) {
          out.append(text.charAt(i));
        } else {
          out.append(sent);
        }
      }
    }
    return out == null ? text : out.toString();
  }

  /** Returns the escape sequence of a character, or null if it is sent as it is. */
  private static String sent(char c, StompVersion version) {
    return switch (c) {
      case '\0' -> " "; // ends the frame for simple parsers
      case '\n' -> version.escapes() ? "\\n" : " ";
      case '\r' -> version == StompVersion.V1_2 ? "\\r" : " ";
      case ':' -> version.escapes() ? "\\c" : null;
      case '\\' -> version.escapes() ? "\\\\" : null;
      default -> null;
    };
  }
}
