package io.sluice.gateway.config;

/**
 * One thing that is wrong with a configuration. Immutable, for any thread.
 *
 * @param origin where it stands
 * @param key the full key, empty if the problem is the file's
 * @param what what is wrong
 * @param expected what would be right, empty if that goes without saying
 */
public record Problem(Origin origin, String key, String what, String expected) {
  private static final char LINE_SEPARATOR = 0x2028;
  private static final char PARAGRAPH_SEPARATOR = 0x2029;

  /** One line for people: place, key, what is wrong, what would be right. */
  @Override
  public String toString() {
    String place = key.isEmpty() ? origin + ": " : origin + ": " + key + ": ";
    return onOneLine(place + what + (expected.isEmpty() ? "" : "; expected " + expected));
  }

  // A key or value in quotes may hold anything, and must not look like a problem of its own.
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
   * Where a value was written. Immutable, for any thread.
   *
   * @param source the file as the user named it, or the option
   * @param line from 1; 0 where lines mean nothing
   * @param column from 1; 0 where lines mean nothing
   */
  public record Origin(String source, int line, int column) {
    /** An option of the command line, or a file as a whole. */
    public static Origin of(String source) {
      return new Origin(source, 0, 0);
    }

    @Override
    public String toString() {
      return line == 0 ? source : source + ":" + line + ":" + column;
    }
  }
}
