package io.sluice.loadtest.broker.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Kind of the disk below a folder, as far as Linux reports it. Immutable, for any thread.
 *
 * @param fileSystem type of the file system
 * @param device device or server of the file system
 * @param kind kind of the storage
 */
public record DiskDescription(String fileSystem, String device, Kind kind) {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final Path DEVICES = Path.of("/sys/dev/block");
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");
  private static final Set<String> NETWORK =
      Set.of("nfs", "nfs4", "cifs", "smb3", "ceph", "gfs2", "ocfs2", "glusterfs", "lustre", "9p");

  /** Kind of storage. */
  public enum Kind {
    ROTATING("rotating disk"),
    SOLID_STATE("SSD or virtual disk"),
    NETWORK("network or cluster file system"),
    MEMORY("memory, no disk"),
    UNKNOWN("unknown kind of disk");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private record Mount(String device, String point, String type, String source) {
    /** Returns the mount of a line: fields, a dash, type and source. */
    static Mount of(String line) {
      List<String> fields = List.of(line.split(" "));
      int dash = fields.indexOf("-");
      return new Mount(
          fields.get(2),
          fields.get(4).replace("\\040", " "),
          fields.get(dash + 1),
          fields.get(dash + 2));
    }
  }

  /** Returns the description of a folder's disk. */
  public static DiskDescription of(Path folder) throws IOException {
    if (!Files.isReadable(MOUNTS)) {
      String type = Files.getFileStore(folder).type();
      return new DiskDescription(type, Files.getFileStore(folder).name(), Kind.UNKNOWN);
    }
    return of(Files.readAllLines(MOUNTS), folder.toRealPath(), DEVICES);
  }

  /**
   * Returns the description by the lines of a mount table.
   *
   * @param devices folder with a link per block device, named by its numbers
   */
  static DiskDescription of(List<String> mounts, Path folder, Path devices) throws IOException {
    // Of mounts at the same point, the last one is visible.
    Mount mount =
        mounts.stream()
            .map(Mount::of)
            .filter(each -> folder.startsWith(each.point()))
            .reduce(
                (a, b) ->
                    Comparator.<Mount>comparingInt(each -> each.point().length()).compare(a, b) > 0
                        ? a
                        : b)
            .orElseThrow(() -> new IOException(folder + ": no mounted file system"));
    return new DiskDescription(mount.type(), mount.source(), kind(mount, devices));
  }

  private static Kind kind(Mount mount, Path devices) throws IOException {
    if (IN_MEMORY.contains(mount.type())) {
      return Kind.MEMORY;
    }
    if (NETWORK.contains(mount.type())) {
      return Kind.NETWORK;
    }
    Path device = devices.resolve(mount.device());
    if (!Files.exists(device)) {
      return Kind.UNKNOWN;
    }
    Path real = device.toRealPath();
    // The properties of a partition are those of its disk, one folder above.
    Path disk = Files.exists(real.resolve("partition")) ? real.getParent() : real;
    Path rotational = disk.resolve("queue").resolve("rotational");
    if (!Files.isReadable(rotational)) {
      return Kind.UNKNOWN;
    }
    return Files.readString(rotational).strip().equals("1") ? Kind.ROTATING : Kind.SOLID_STATE;
  }

  /** Returns text such as {@code SSD or virtual disk, ext4 on /dev/vda}. */
  public String toText() {
    return kind + ", " + fileSystem + " on " + device;
  }
}
