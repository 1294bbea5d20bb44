package io.sluice.gateway.config;

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
