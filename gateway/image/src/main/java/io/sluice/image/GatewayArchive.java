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
 * The gateway's archive, as its build has made it. For any thread.
 *
 * @param files by their paths below the archive's one folder
 */
record GatewayArchive(SortedMap<String, byte[]> files) {
  private static final String SBOM = "sbom.json";

  static GatewayArchive read(Path archive) throws IOException, NoImage {
    if (!Files.exists(archive)) {
      throw new NoImage("the gateway's archive is not built; expected " + archive);
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

  /** What the gateway is made of, in CycloneDX' JSON. */
  byte[] sbom() throws NoImage {
    byte[] sbom = files.get(SBOM);
    if (sbom == null) {
      throw new NoImage("the gateway's archive holds no list of its parts; it is made online");
    }
    return sbom;
  }
}
