package io.sluice.gateway.revocation;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of revocations on the disk. A change is appended; from time to time all lines are replaced.
 * A crash loses at most the line that is being written. One thread at a time; calls block on the
 * disk.
 */
final class RevocationStore implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RevocationStore.class);

  /** Further damaged lines are only counted. */
  private static final int MAX_REPORTED = 10;

  private final Path file;
  private final FileChannel lock;
  private final FileChannel folder;

  /** Null until the lines are replaced for the first time. */
  private FileChannel out;

  private int lines;

  private RevocationStore(Path file, FileChannel lock, FileChannel folder) {
    this.file = file;
    this.lock = lock;
    this.folder = folder;
  }

  /**
   * Locks a file, which is read next.
   *
   * @throws UnusableRevocations if another process has it open, or its folder cannot be used
   */
  static RevocationStore open(Path name) throws UnusableRevocations {
    Path file = name.toAbsolutePath().normalize();
    try {
      FileChannel lock = lock(file);
      return new RevocationStore(file, lock, openFolder(file.getParent()));
    } catch (IOException e) {
      throw new UnusableRevocations(file + " cannot be used: " + e, e);
    }
  }

  private static FileChannel lock(Path file) throws IOException, UnusableRevocations {
    FileChannel channel =
        FileChannel.open(
            file.resolveSibling(file.getFileName() + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    try {
      FileLock acquired = channel.tryLock();
      if (acquired != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      log.atDebug().setCause(e).log("the lock is held by this process");
    }
    channel.close();
    throw new UnusableRevocations(file + " is locked by another node or process", null);
  }

  /** Returns a channel that makes renames durable, or null where folders cannot be opened. */
  private static FileChannel openFolder(Path folder) {
    try {
      return FileChannel.open(folder, StandardOpenOption.READ);
    } catch (IOException windows) {
      return null;
    }
  }

  /** Reads all lines; reports damaged ones and keeps a copy of such a file. */
  List<Revocation> read() throws IOException {
    List<Revocation> read = new ArrayList<>();
    if (!Files.exists(file)) {
      return read;
    }
    int damaged = 0;
    // ISO-8859-1 decodes any byte; the lines are ASCII.
    try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      int number = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        try {
          read.add(RevocationLine.read(line));
        } catch (RevocationLine.DamagedLine e) {
          damaged++;
          report(number, e, damaged);
        }
      }
    }
    if (damaged > 0) {
      Path copy = file.resolveSibling(file.getFileName() + ".damaged");
      Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    }
    return read;
  }

  private void report(int line, RevocationLine.DamagedLine why, int damaged) {
    if (damaged <= MAX_REPORTED) {
      log.atError()
          .addKeyValue("file", file)
          .addKeyValue("line", line)
          .addKeyValue("why", why.getMessage())
          .log("revocations.damaged-line");
    }
  }

  /** Returns the number of lines in the file. */
  int lines() {
    return lines;
  }

  /** Appends lines and waits for the disk. After a failure, all lines have to be replaced. */
  void append(Collection<Revocation> revocations) throws IOException {
    write(out, revocations);
    out.force(false);
    lines += revocations.size();
  }

  /** Replaces all lines at once and waits for the disk. */
  void replace(Collection<Revocation> revocations) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(next);
    create(next);
    FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE);
    try {
      write(channel, revocations);
      channel.force(false);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      if (folder != null) {
        folder.force(true);
      }
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    if (out != null) {
      out.close();
    }
    out = channel;
    lines = revocations.size();
  }

  // Subjects and ids of tokens may be confidential, hence only the owner has access.
  private static void create(Path path) throws IOException {
    if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } else {
      Files.createFile(path);
    }
  }

  private static void write(FileChannel channel, Collection<Revocation> revocations)
      throws IOException {
    StringBuilder text = new StringBuilder();
    for (Revocation each : revocations) {
      text.append(RevocationLine.write(each)).append('\n');
    }
    ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    if (out != null) {
      out.close();
    }
    if (folder != null) {
      folder.close();
    }
    lock.close();
  }
}
