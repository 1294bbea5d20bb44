package io.sluice.gateway.audit.file;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * File that audit lines are appended to, or standard output. It supports log rotation: if the file
 * is renamed, the next lines are written to a new file of the same name. Bound to one thread.
 */
final class AuditTarget implements AutoCloseable {
  private static final byte LINE_FEED = '\n';

  /** Used instead of {@code System.out}, which hides failures. */
  private static final FileOutputStream STANDARD_OUTPUT = new FileOutputStream(FileDescriptor.out);

  private final Path file;
  private FileChannel out;
  private Object openKey;

  /**
   * True if the last line of the file is incomplete; a line feed is written before the next one.
   */
  private boolean partialLine;

  /**
   * @param file null for standard output
   */
  private AuditTarget(Path file) {
    this.file = file;
  }

  static AuditTarget standardOutput() {
    return new AuditTarget(null);
  }

  /** Opens the file, or creates it with access for its owner and group only. */
  static AuditTarget of(Path file) throws IOException {
    AuditTarget target = new AuditTarget(file);
    target.open();
    return target;
  }

  /**
   * Writes lines, each with a line feed.
   *
   * @param lines backed by an array; after a failure, its position is the end of the written bytes
   */
  void write(ByteBuffer lines) throws IOException {
    if (file == null) {
      print(lines);
      return;
    }
    if (out == null || !Objects.equals(openKey, key())) {
      close();
      open();
    }
    if (partialLine) {
      writeAll(ByteBuffer.wrap(new byte[] {LINE_FEED}));
      partialLine = false;
    }
    try {
      writeAll(lines);
    } finally {
      int end = lines.position();
      partialLine = end > 0 && lines.get(end - 1) != LINE_FEED;
    }
  }

  private void writeAll(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }

  // One call per line: if standard error uses the same pipe, the kernel does not split a single
  // write.
  private static void print(ByteBuffer lines) throws IOException {
    while (lines.hasRemaining()) {
      int begin = lines.position();
      int end = begin;
      while (lines.get(end) != LINE_FEED) {
        end++;
      }
      STANDARD_OUTPUT.write(lines.array(), begin, end + 1 - begin);
      lines.position(end + 1);
    }
  }

  private void open() throws IOException {
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] rights =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"))
            }
            : new FileAttribute<?>[0];
    out =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), rights);
    openKey = key();
    partialLine = endsWithPartialLine(file);
  }

  /** Returns whether the last line is incomplete, for example after the writer was killed. */
  private static boolean endsWithPartialLine(Path file) throws IOException {
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      return false;
    }
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return in.size() > 0 && in.read(last, in.size() - 1) == 1 && last.get(0) != LINE_FEED;
    }
  }

  /**
   * Returns a key that changes if the file is replaced: its path on systems without file keys, and
   * null if the file is missing.
   */
  private Object key() throws IOException {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      return key == null ? file : key;
    } catch (NoSuchFileException moved) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    if (out != null) {
      FileChannel former = out;
      out = null;
      former.close();
    }
  }
}
