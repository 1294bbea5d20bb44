package io.sluice.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Bearer token read from a file, which keeps it off the command line. Immutable, for any thread.
 */
record TokenFile(Path file, String value) {

  static TokenFile read(Path file) {
    try {
      return new TokenFile(file, Files.readString(file).strip());
    } catch (IOException e) {
      throw new UncheckedIOException("-DtokenFile=" + file + ": cannot read the file: " + e, e);
    }
  }

  /** Returns the file's name without the secret. */
  @Override
  public String toString() {
    return "token of " + file;
  }
}
