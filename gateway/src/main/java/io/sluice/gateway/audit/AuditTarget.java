package io.sluice.gateway.audit;

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
 * The file that audit lines are appended to, or standard output. It follows whoever moves the file
 * away: the next lines begin a new one of the same name. Bound to one thread.
 */
final class AuditTarget implements AutoCloseable {
  private static final byte LINE_FEED = '\n';

  /** Not {@code System.out}, which never tells a second failure from the first. */
  private static final FileOutputStream STANDARD_OUTPUT = new FileOutputStream(FileDescriptor.out);

  private final Path file;
  private FileChannel out;
  private Object openKey;

  /** Whether the file ends within a line, so that the next one must not begin there. */
  private boolean torn;

  /**
   * @param file null for standard output
   */
  private AuditTarget(Path file) {
    this.file = file;
  }

  static AuditTarget standardOutput() {
    return new AuditTarget(null);
  }

  /** Opens the file, and makes it if there is none, for its owner and group only. */
  static AuditTarget of(Path file) throws IOException {
    AuditTarget target = new AuditTarget(file);
    target.open();
    return target;
  }

  /**
   * Writes lines, each with its end.
   *
   * @param lines an array's; on a failure, it stands behind what was written all the same
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
    if (torn) {
      writeAll(ByteBuffer.wrap(new byte[] {LINE_FEED}));
      torn = false;
    }
    try {
      writeAll(lines);
    } finally {
      int end = lines.position();
      torn = end > 0 && lines.get(end - 1) != LINE_FEED;
    }
  }

  private void writeAll(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }

  // Each with a call of its own: where standard error goes to the same pipe, the kernel keeps what
  // comes in one piece together.
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
    torn = endsWithin(file);
  }

  /** Whether a file ends within a line, as one does whose writer was killed. */
  private static boolean endsWithin(Path file) throws IOException {
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      return false;
    }
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return in.size() > 0 && in.read(last, in.size() - 1) == 1 && last.get(0) != LINE_FEED;
    }
  }

  /** What tells files of one name apart; null where the system has nothing of the kind. */
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
