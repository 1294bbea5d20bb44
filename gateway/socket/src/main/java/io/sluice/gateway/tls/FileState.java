package io.sluice.gateway.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * State of a file, which differs after the file was written, replaced or linked to another one.
 * Immutable, for any thread.
 *
 * @param identity the file system's key of the file; null if it has none
 * @param bytes size of the file; -1 if its attributes cannot be read
 * @param changed time of the last modification, as text
 */
public record FileState(Object identity, long bytes, String changed) {
  /** Returns the current states of files, in their order. */
  public static List<FileState> of(List<String> names) {
    return names.stream().map(FileState::of).toList();
  }

  private static FileState of(String name) {
    try {
      BasicFileAttributes file = Files.readAttributes(Path.of(name), BasicFileAttributes.class);
      return new FileState(file.fileKey(), file.size(), file.lastModifiedTime().toString());
    } catch (IOException gone) {
      return new FileState(null, -1, "");
    }
  }
}
