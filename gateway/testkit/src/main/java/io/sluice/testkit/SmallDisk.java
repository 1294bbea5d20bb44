package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** File system of 24 MiB. Only a superuser can mount it; for others the test is skipped. */
public final class SmallDisk implements AutoCloseable {
  private final Path folder;

  private SmallDisk(Path folder) {
    this.folder = folder;
  }

  /** Mounts an empty file system at a new folder. */
  public static SmallDisk mount(Path folder) throws IOException {
    Files.createDirectory(folder);
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder.toString());
    assumeTrue(mounted, "no right to mount a file system");
    return new SmallDisk(folder);
  }

  private static boolean run(String... command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  public Path folder() {
    return folder;
  }

  /** Fills the file system with a file, and returns the file. */
  public Path fill() throws IOException {
    Path file = folder.resolve("filler");
    byte[] page = new byte[4096];
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(page);
      }
    } catch (IOException e) {
      assertThat(Files.getFileStore(folder).getUsableSpace()).as("room left").isZero();
      return file;
    }
  }

  @Override
  public void close() {
    assertThat(run("umount", folder.toString())).as("unmounted").isTrue();
  }
}
