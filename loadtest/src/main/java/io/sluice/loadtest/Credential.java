package io.sluice.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A token out of a file, so that it stands on no command line. Immutable. */
record Credential(Path file, String value) {

  static Credential read(Path file) {
    try {
      return new Credential(file, Files.readString(file).strip());
    } catch (IOException e) {
      throw new UncheckedIOException("-DtokenFile: cannot be read: " + e, e);
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "token of " + file;
  }
}
