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
 * Writes one layer, in the order in which it is told. Whatever made the files, they are root's, all
 * of one time, and nobody else may write to them or gets another's rights through them; so the same
 * content has the same digest. For one thread.
 */
final class LayerWriter implements AutoCloseable {
  static final int FOLDER = 0755;
  static final int PROGRAM = 0755;
  static final int FILE = 0644;

  /** Neither set-user-id, set-group-id nor sticky, and written to by the owner alone. */
  private static final int HARMLESS = 0755;

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
    OutputStream unpacked = new Packer(new DigestOutputStream(stored, packed));
    this.archive = archive(new DigestOutputStream(unpacked, content));
  }

  private static final class Packer extends GZIPOutputStream {
    /** The next one takes half as long again to save half a percent. */
    private static final int LEVEL = 5;

    Packer(OutputStream out) throws IOException {
      super(out, 1 << 16);
      def.setLevel(LEVEL);
    }
  }

  /** An archive that takes names of any length and letters. */
  static TarArchiveOutputStream archive(OutputStream out) {
    TarArchiveOutputStream archive = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
    archive.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    archive.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    archive.setAddPaxHeadersForNonAsciiNames(true);
    return archive;
  }

  void folder(String path) throws IOException {
    folder(path, FOLDER, 0);
  }

  /** A folder of somebody's, with any mode. */
  void folder(String path, int mode, int owner) throws IOException {
    if (isNew(path)) {
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

  void file(String path, int mode, long bytes, InputStream from) throws IOException {
    if (!isNew(path)) {
      throw new IOException(path + " is twice in the layer " + purpose);
    }
    TarArchiveEntry entry = entry(path, mode & HARMLESS);
    entry.setSize(bytes);
    archive.putArchiveEntry(entry);
    from.transferTo(archive);
    archive.closeArchiveEntry();
  }

  void link(String path, String target) throws IOException {
    link(path, target, TarConstants.LF_SYMLINK, 0777);
  }

  /** Another name of a file that is in this layer; what unpacks it may give both this mode. */
  void hardLink(String path, String target, int mode) throws IOException {
    link(path, target, TarConstants.LF_LINK, mode & HARMLESS);
  }

  private void link(String path, String target, byte kind, int mode) throws IOException {
    if (isNew(path)) {
      TarArchiveEntry entry = new TarArchiveEntry(path, kind);
      entry.setLinkName(target);
      entry.setMode(mode);
      archive.putArchiveEntry(owned(entry));
      archive.closeArchiveEntry();
    }
  }

  private boolean isNew(String path) throws IOException {
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

  /** Ends the layer. */
  Layer finish() throws IOException {
    archive.close();
    return new Layer(purpose, file, Files.size(file), Digest.of(packed), Digest.of(content));
  }

  @Override
  public void close() throws IOException {
    archive.close();
  }
}
