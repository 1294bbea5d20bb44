package io.sluice.image;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Debian package file. Any thread may call it. {@code dpkg-deb} reads it without root rights, and
 * its maintainer scripts never run.
 *
 * @param control its control file
 * @param fields first line of each control field, by name
 */
record DebianPackage(Path file, String control, Map<String, String> fields) {
  /** Receiver of a package's entries. */
  @FunctionalInterface
  interface Visitor {
    /**
     * Receives a file, folder or link.
     *
     * @param path without a leading slash
     */
    void visit(String path, TarArchiveEntry entry, InputStream content) throws IOException;
  }

  /** Reads a package's control file. */
  static DebianPackage read(Path file) throws IOException {
    Process process = start("--field", file);
    String control =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    await(process, file);
    return new DebianPackage(file, control + "\n", fields(control));
  }

  private static Map<String, String> fields(String control) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line : control.split("\n")) {
      int colon = line.indexOf(": ");
      if (colon > 0 && line.charAt(0) != ' ') {
        fields.put(line.substring(0, colon), line.substring(colon + 2));
      }
    }
    return Map.copyOf(fields);
  }

  String name() {
    return fields.get("Package");
  }

  String version() {
    return fields.get("Version");
  }

  String architecture() {
    return fields.get("Architecture");
  }

  /** Passes all entries to a visitor, in the package's order. */
  void visit(Visitor visitor) throws IOException {
    Process process = start("--fsys-tarfile", file);
    try (InputStream output = new BufferedInputStream(process.getInputStream(), 1 << 16);
        TarArchiveInputStream archive =
            new TarArchiveInputStream(output, StandardCharsets.UTF_8.name())) {
      TarArchiveEntry entry = archive.getNextEntry();
      for (; entry != null; entry = archive.getNextEntry()) {
        String path = entry.getName().replaceFirst("^\\./", "").replaceFirst("/$", "");
        if (!path.isEmpty()) {
          visitor.visit(path, entry, archive);
        }
      }
      output.transferTo(OutputStream.nullOutputStream());
    }
    await(process, file);
  }

  private static Process start(String option, Path file) throws IOException {
    List<String> command = List.of("dpkg-deb", option, file.toString());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static void await(Process process, Path file) throws IOException {
    try {
      if (process.waitFor() != 0) {
        throw new IOException("dpkg-deb cannot read " + file);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + file + " was read", e);
    }
  }
}
