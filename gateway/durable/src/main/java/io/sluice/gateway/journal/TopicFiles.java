package io.sluice.gateway.journal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Paths of the files of one topic. Their names contain a hash of the topic, because a topic's name
 * may be too long for a file name. Immutable and safe for any thread.
 *
 * @param name prefix of the file names
 */
record TopicFiles(Path folder, String name) {
  private static final String DATABASE = ".db";
  private static final String WATERMARK = ".safe";
  private static final int NAME_BYTES = 16;

  /** Returns the files of a topic. */
  static TopicFiles of(Path folder, String topic) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(topic.getBytes(StandardCharsets.UTF_8));
      return new TopicFiles(folder, HexFormat.of().formatHex(hash, 0, NAME_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Returns the files of all topics in a folder. */
  static Set<TopicFiles> in(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(DATABASE))
          .map(file -> file.substring(0, file.length() - DATABASE.length()))
          .map(name -> new TopicFiles(folder, name))
          .collect(Collectors.toSet());
    }
  }

  Path database() {
    return file(DATABASE);
  }

  Path watermark() {
    return file(WATERMARK);
  }

  /** Returns the bytes of the database on the disk. */
  long bytes() {
    return database().toFile().length() + file(DATABASE + "-wal").toFile().length();
  }

  /**
   * Deletes the existing files, the watermark first. A database without its watermark counts as
   * corrupt, so that an interrupted deletion leaves no valid log.
   */
  void delete() throws IOException {
    Files.deleteIfExists(watermark());
    for (String suffix : List.of("-wal", "-shm", "-journal", "")) {
      Files.deleteIfExists(file(DATABASE + suffix));
    }
  }

  private Path file(String suffix) {
    return folder.resolve(name + suffix);
  }
}
