package io.sluice.gateway.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * By what a change of a file shows, be it written anew, replaced, or another at the end of links.
 * Immutable, for any thread.
 *
 * @param identity what the file system knows the file by, null if it doesn't say
 * @param bytes its size, -1 if it cannot be looked at
 * @param changed the time of the last change, as text
 */
public record FileState(Object identity, long bytes, String changed) {
  /** How files are now, in their order. */
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
