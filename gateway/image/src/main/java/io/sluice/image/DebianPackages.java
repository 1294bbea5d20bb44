package io.sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Which packages of Debian's the image is made of, and how they come here. For any thread. */
final class DebianPackages {
  static final String JAVA = "openjdk-25-jre-headless";

  private static final Path FETCH = Path.of("src", "main", "scripts", "fetch-packages.sh");
  private static final long PATIENCE_MINUTES = 5;

  /**
   * What the Java runtime and the launcher need, and no more: no package manager, no shell tools.
   * The scripts of Java's package would want some more; they don't run here.
   */
  private static final List<String> BASE =
      List.of(
          "base-files",
          "bash",
          "ca-certificates",
          "gcc-14-base",
          "libc-bin",
          "libc6",
          "libgcc-s1",
          "libstdc++6",
          "libtinfo6",
          "netbase",
          "zlib1g");

  private DebianPackages() {}

  /** Fetches all of them for amd64 or arm64, unless they are in the folder, sorted by name. */
  static List<DebianPackage> fetch(Path folder, String architecture) throws IOException, NoImage {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(FETCH.toString(), folder.toString(), architecture));
    command.addAll(BASE);
    command.add(JAVA);
    run(command);
    try (Stream<Path> files = Files.list(folder.resolve("packages"))) {
      List<DebianPackage> packages = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        packages.add(DebianPackage.read(file));
      }
      return packages;
    }
  }

  private static void run(List<String> command) throws IOException, NoImage {
    Path errors = Files.createTempFile("fetch-packages", ".log");
    try {
      Process process = start(command, errors);
      if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new NoImage("fetching Debian's packages takes too long");
      }
      if (process.exitValue() != 0) {
        throw new NoImage(Files.readString(errors).strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while packages were fetched", e);
    } finally {
      Files.delete(errors);
    }
  }

  private static Process start(List<String> command, Path errors) throws NoImage {
    try {
      return new ProcessBuilder(command).redirectError(errors.toFile()).start();
    } catch (IOException e) {
      throw new NoImage("Debian's packages can't be fetched: " + e.getMessage());
    }
  }
}
