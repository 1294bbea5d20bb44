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
 * Paths of the files of one topic. They are named by a hash of the topic, whose own name may be too
 * long for a file. Immutable, for any thread.
 *
 * @param name what the files' names begin with
 */
record TopicFiles(Path folder, String name) {
  private static final String DATABASE = ".db";
  private static final String WATERMARK = ".safe";
  private static final int NAME_BYTES = 16;

  static TopicFiles of(Path folder, String topic) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(topic.getBytes(StandardCharsets.UTF_8));
      return new TopicFiles(folder, HexFormat.of().formatHex(hash, 0, NAME_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Those of all topics in a folder. */
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

  /** Bytes of the database on the disk. */
  long bytes() {
    return database().toFile().length() + file(DATABASE + "-wal").toFile().length();
  }

  /** Deletes what is there. Without its watermark, which goes first, a rest counts as damaged. */
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
