package io.sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The Debian packages that the image consists of, and their download. Any thread may call it. */
final class DebianPackages {
  static final String JAVA = "openjdk-25-jre-headless";

  private static final Path FETCH = Path.of("src", "main", "scripts", "fetch-packages.sh");
  private static final long TIMEOUT_MINUTES = 5;

  /**
   * Packages that the Java runtime and the launcher require: no package manager, no shell tools.
   * Only the maintainer scripts of Java's package require more, and they don't run.
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

  /**
   * Returns the packages for amd64 or arm64, sorted by name. Downloads them unless the folder
   * contains them.
   */
  static List<DebianPackage> fetch(Path folder, String architecture)
      throws IOException, MissingPrerequisite {
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

  private static void run(List<String> command) throws IOException, MissingPrerequisite {
    Path errors = Files.createTempFile("fetch-packages", ".log");
    try {
      Process process = start(command, errors);
      if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new MissingPrerequisite(
            "Debian packages were not downloaded within " + TIMEOUT_MINUTES + " minutes");
      }
      if (process.exitValue() != 0) {
        throw new MissingPrerequisite(Files.readString(errors).strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while packages were fetched", e);
    } finally {
      Files.delete(errors);
    }
  }

  private static Process start(List<String> command, Path errors) throws MissingPrerequisite {
    try {
      return new ProcessBuilder(command).redirectError(errors.toFile()).start();
    } catch (IOException e) {
      throw new MissingPrerequisite(
          "cannot start " + FETCH + " to download Debian packages: " + e.getMessage());
    }
  }
}
