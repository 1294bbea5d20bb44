package io.sluice.gateway.config;

/**
 * Problem of a configuration. Immutable, for any thread.
 *
 * @param origin position of the value
 * @param key the full key; empty for a problem of the whole file
 * @param what the problem, worded to follow the key
 * @param expected the allowed values; empty if obvious
 */
public record Problem(Origin origin, String key, String what, String expected) {
  private static final char LINE_SEPARATOR = 0x2028;
  private static final char PARAGRAPH_SEPARATOR = 0x2029;

  /** Returns one line for people: origin, key, problem and allowed values. */
  @Override
  public String toString() {
    String place = key.isEmpty() ? origin + ": " : origin + ": " + key + ": ";
    return onOneLine(place + what + (expected.isEmpty() ? "" : "; expected " + expected));
  }

  // A quoted key or value may contain line breaks, which must not look like another problem.
  private static String onOneLine(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.chars().forEach(c -> append(line, (char) c));
    return line.toString();
  }

  private static void append(StringBuilder line, char c) {
    if (c == '\n') {
      line.append("\\n");
    } else if (Character.isISOControl(c) || c == LINE_SEPARATOR || c == PARAGRAPH_SEPARATOR) {
      line.append(String.format("\\u%04x", (int) c));
    } else {
      line.append(c);
    }
  }

  /**
   * Position of a value in a file, or the option that set it. Immutable, for any thread.
   *
   * @param source the file name as given by the user, or the option
   * @param line from 1; 0 for an option or a whole file
   * @param column from 1; 0 for an option or a whole file
   */
  public record Origin(String source, int line, int column) {
    /** Returns the origin of a command-line option or of a whole file. */
    public static Origin of(String source) {
      return new Origin(source, 0, 0);
    }

    @Override
    public String toString() {
      return line == 0 ? source : source + ":" + line + ":" + column;
    }
  }
}
