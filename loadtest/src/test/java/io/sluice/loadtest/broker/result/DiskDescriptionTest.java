package io.sluice.loadtest.broker.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskDescriptionTest {
  private static final List<String> MOUNTS =
      List.of(
          "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw",
          "23 22 0:5 / /tmp rw - tmpfs tmpfs rw",
          "24 22 0:6 / /nfs rw - nfs4 server:/export rw",
          "25 22 254:16 / /with\\040space rw - xfs /dev/vdb rw",
          "26 22 0:7 / /layers rw - overlay overlay rw");

  @TempDir private Path devices;

  @Test
  void shouldReadPropertiesOfPartitionFromItsDisk() throws Exception {
    Path disk = disk("vda", "0");
    Path partition = Files.createDirectory(disk.resolve("vda1"));
    Files.createFile(partition.resolve("partition"));
    Files.createSymbolicLink(devices.resolve("254:1"), partition);

    assertThat(describe("/var/data")).isEqualTo("SSD or virtual disk, ext4 on /dev/vda1");
  }

  @Test
  void shouldDetectRotatingDisk() throws Exception {
    Files.createSymbolicLink(devices.resolve("254:16"), disk("vdb", "1"));

    assertThat(describe("/with space/data")).isEqualTo("rotating disk, xfs on /dev/vdb");
  }

  @Test
  void shouldDetectStorageThatIsNoLocalDisk() throws Exception {
    assertThat(describe("/tmp/x")).isEqualTo("memory, no disk, tmpfs on tmpfs");
    assertThat(describe("/nfs")).startsWith("network or cluster file system, nfs4 on server");
    assertThat(describe("/layers/x")).startsWith("unknown kind of disk, overlay");
    assertThat(describe("/nfs2")).startsWith("unknown kind of disk, ext4");
  }

  @Test
  void shouldDescribeDiskOfThisMachine() throws Exception {
    assertThat(DiskDescription.of(devices).toText()).isNotBlank();
  }

  private Path disk(String name, String rotational) throws IOException {
    Path queue = Files.createDirectories(devices.resolve(name).resolve("queue"));
    Files.writeString(queue.resolve("rotational"), rotational + "\n");
    return queue.getParent();
  }

  private String describe(String folder) throws IOException {
    return DiskDescription.of(MOUNTS, Path.of(folder), devices).toText();
  }
}
