package io.sluice.image;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Writer of one layer, with entries in the order of the calls. For one thread.
 *
 * <p>Files belong to root, have one modification time, and have no set-user-id, set-group-id or
 * group and world write bits. The same content therefore has the same digest.
 */
final class LayerWriter implements AutoCloseable {
  static final int FOLDER = 0755;
  static final int PROGRAM = 0755;
  static final int FILE = 0644;

  /** Mask without set-user-id, set-group-id, sticky, and group and world write bits. */
  private static final int ALLOWED_MODE = 0755;

  private final String purpose;
  private final Path file;
  private final FileTime time;
  private final MessageDigest packed = Digest.sha256();
  private final MessageDigest content = Digest.sha256();
  private final TarArchiveOutputStream archive;
  private final Set<String> written = new HashSet<>();

  LayerWriter(String purpose, Path file, Instant time) throws IOException {
    this.purpose = purpose;
    this.file = file;
    this.time = FileTime.from(time);
    OutputStream stored = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
    OutputStream unpacked = new GzipOutput(new DigestOutputStream(stored, packed));
    this.archive = archive(new DigestOutputStream(unpacked, content));
  }

  private static final class GzipOutput extends GZIPOutputStream {
    /** Compression level. The next one takes 50 % longer and saves 0.5 %. */
    private static final int LEVEL = 5;

    GzipOutput(OutputStream out) throws IOException {
      super(out, 1 << 16);
      def.setLevel(LEVEL);
    }
  }

  /** Returns a tar stream for names of any length and in any script. */
  static TarArchiveOutputStream archive(OutputStream out) {
    TarArchiveOutputStream archive = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
    archive.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    archive.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    archive.setAddPaxHeadersForNonAsciiNames(true);
    return archive;
  }

  /** Adds a folder of root's, unless the layer contains it. */
  void folder(String path) throws IOException {
    folder(path, FOLDER, 0);
  }

  /** Adds a folder with an owner and any mode, unless the layer contains it. */
  void folder(String path, int mode, int owner) throws IOException {
    if (addPath(path)) {
      TarArchiveEntry entry = entry(path + "/", mode);
      entry.setIds(owner, owner);
      archive.putArchiveEntry(entry);
      archive.closeArchiveEntry();
    }
  }

  void text(String path, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    file(path, FILE, bytes);
  }

  void file(String path, int mode, byte[] bytes) throws IOException {
    file(path, mode, bytes.length, new ByteArrayInputStream(bytes));
  }

  /**
   * Adds a file.
   *
   * @throws IOException if the layer already contains the path, too
   */
  void file(String path, int mode, long bytes, InputStream from) throws IOException {
    if (!addPath(path)) {
      throw new IOException("duplicate path " + path + " in the layer " + purpose);
    }
    TarArchiveEntry entry = entry(path, mode & ALLOWED_MODE);
    entry.setSize(bytes);
    archive.putArchiveEntry(entry);
    from.transferTo(archive);
    archive.closeArchiveEntry();
  }

  /** Adds a symbolic link, unless the layer contains its path. */
  void link(String path, String target) throws IOException {
    link(path, target, TarConstants.LF_SYMLINK, 0777);
  }

  /** Adds another name of a file in this layer. Unpacking may apply this mode to both names. */
  void hardLink(String path, String target, int mode) throws IOException {
    link(path, target, TarConstants.LF_LINK, mode & ALLOWED_MODE);
  }

  private void link(String path, String target, byte kind, int mode) throws IOException {
    if (addPath(path)) {
      TarArchiveEntry entry = new TarArchiveEntry(path, kind);
      entry.setLinkName(target);
      entry.setMode(mode);
      archive.putArchiveEntry(owned(entry));
      archive.closeArchiveEntry();
    }
  }

  private boolean addPath(String path) throws IOException {
    if (!written.add(path)) {
      return false;
    }
    int end = path.lastIndexOf('/');
    if (end > 0) {
      folder(path.substring(0, end));
    }
    return true;
  }

  private TarArchiveEntry entry(String path, int mode) {
    TarArchiveEntry entry = new TarArchiveEntry(path);
    entry.setMode(mode);
    return owned(entry);
  }

  private TarArchiveEntry owned(TarArchiveEntry entry) {
    entry.setIds(0, 0);
    entry.setNames("", "");
    entry.setModTime(time);
    return entry;
  }

  /** Completes the layer's file. */
  Layer finish() throws IOException {
    archive.close();
    return new Layer(purpose, file, Files.size(file), Digest.of(packed), Digest.of(content));
  }

  @Override
  public void close() throws IOException {
    archive.close();
  }
}
