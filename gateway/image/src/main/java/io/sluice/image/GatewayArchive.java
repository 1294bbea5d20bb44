package io.sluice.image;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Contents of the gateway's release archive. Any thread may call it.
 *
 * @param files by their paths below the archive's one folder
 */
record GatewayArchive(SortedMap<String, byte[]> files) {
  private static final String SBOM = "sbom.json";

  static GatewayArchive read(Path archive) throws IOException, MissingPrerequisite {
    if (!Files.exists(archive)) {
      throw new MissingPrerequisite(
          "the gateway's archive is missing: build it first at " + archive);
    }
    SortedMap<String, byte[]> files = new TreeMap<>();
    try (InputStream packed = new BufferedInputStream(Files.newInputStream(archive), 1 << 16);
        InputStream unpacked = new GZIPInputStream(packed, 1 << 16);
        TarArchiveInputStream entries =
            new TarArchiveInputStream(unpacked, StandardCharsets.UTF_8.name())) {
      TarArchiveEntry entry = entries.getNextEntry();
      for (; entry != null; entry = entries.getNextEntry()) {
        if (entry.isFile()) {
          files.put(entry.getName().replaceFirst("^[^/]*/", ""), entries.readAllBytes());
        }
      }
    }
    return new GatewayArchive(Collections.unmodifiableSortedMap(files));
  }

  /** Returns the gateway's software bill of materials in CycloneDX JSON. */
  byte[] sbom() throws MissingPrerequisite {
    byte[] sbom = files.get(SBOM);
    if (sbom == null) {
      throw new MissingPrerequisite(
          "the gateway's archive contains no " + SBOM + "; only an online build generates it");
    }
    return sbom;
  }
}
