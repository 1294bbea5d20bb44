package io.sluice.gateway.auth;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
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
  private final Path file;
  private OutputStream out;
  private Object openKey;

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

  void write(byte[] lines) throws IOException {
    if (file == null) {
      System.out.write(lines, 0, lines.length);
      System.out.flush();
      return;
    }
    if (out == null || !Objects.equals(openKey, key())) {
      close();
      open();
    }
    out.write(lines);
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
        Channels.newOutputStream(
            Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), rights));
    openKey = key();
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
      OutputStream former = out;
      out = null;
      former.close();
    }
  }
}
