package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Image of this build, its archive unpacked into a folder. For one thread.
 *
 * @param archive the image in one file
 * @param layout folder with the OCI layout
 */
record BuiltImage(Path archive, Path layout) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Path TARGET = Path.of("target");

  /** Returns the image. Skips the test, with the reason, if the build wrote none. */
  static BuiltImage find(Path folder) throws Exception {
    Path reason = TARGET.resolve("no-image.txt");
    if (Files.exists(reason)) {
      abort("the image was not built: " + Files.readString(reason));
    }
    try (Stream<Path> files = Files.list(TARGET)) {
      List<Path> found =
          files.filter(file -> file.toString().matches(".*/sluice-image-.*\\.tar")).toList();
      assertThat(found).hasSize(1);
      return unpack(found.get(0), Files.createDirectories(folder));
    }
  }

  private static BuiltImage unpack(Path archive, Path folder) throws Exception {
    run("tar", "-xf", archive.toString(), "-C", folder.toString());
    return new BuiltImage(archive, folder);
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  JsonNode json(String file) throws IOException {
    return JSON.readTree(layout.resolve(file).toFile());
  }

  JsonNode manifest() throws IOException {
    return blob(json("index.json").at("/manifests/0"));
  }

  JsonNode config() throws IOException {
    return blob(manifest().path("config"));
  }

  private JsonNode blob(JsonNode descriptor) throws IOException {
    return JSON.readTree(file(descriptor).toFile());
  }

  Path file(JsonNode descriptor) {
    return layout.resolve("blobs").resolve(descriptor.path("digest").textValue().replace(':', '/'));
  }

  List<Path> layers() throws IOException {
    List<Path> layers = new ArrayList<>();
    manifest().path("layers").forEach(layer -> layers.add(file(layer)));
    return layers;
  }

  /**
   * Contents of the layers.
   *
   * @param open paths with other owners than root, with write bits for others, or with set-user-id,
   *     set-group-id or sticky bits
   * @param jars hashes of the libraries, by path
   * @param packages names of the Debian packages
   */
  record Contents(
      List<String> open, Map<String, String> jars, List<String> packages, JsonNode sbom) {
    private static final String LIBRARIES = "opt/sluice/lib/";
    private static final String AMQP = "opt/sluice/amqp/";
    private static final String SBOM = "opt/sluice/sbom/sluice.cdx.json";

    private static Contents empty() {
      return new Contents(
          new ArrayList<>(), new TreeMap<>(), new ArrayList<>(), JSON.createObjectNode());
    }

    private Contents with(TarArchiveEntry entry, InputStream content) throws IOException {
      String path = entry.getName();
      boolean rootOnly = entry.getLongUserId() == 0 && entry.getLongGroupId() == 0;
      if (!entry.isSymbolicLink() && ((entry.getMode() & 07022) != 0 || !rootOnly)) {
        open.add("%s %o %d".formatted(path, entry.getMode() & 07777, entry.getLongUserId()));
      }
      boolean library = path.startsWith(LIBRARIES) || path.startsWith(AMQP);
      if (library && !path.startsWith(LIBRARIES + "sluice-gateway-")) {
        if (entry.isFile()) {
          jars.put(path, Digest.of(content.readAllBytes()).hex());
        }
      } else if (path.matches("var/lib/dpkg/status.d/.+")) {
        packages.add(path.replaceFirst(".*/", ""));
      } else if (path.equals(SBOM)) {
        return new Contents(open, jars, packages, JSON.readTree(content.readAllBytes()));
      }
      return this;
    }
  }

  Contents contents() throws IOException {
    Contents contents = Contents.empty();
    for (Path layer : layers()) {
      try (InputStream packed = new BufferedInputStream(Files.newInputStream(layer));
          TarArchiveInputStream files =
              new TarArchiveInputStream(
                  new GZIPInputStream(packed, 1 << 16), StandardCharsets.UTF_8.name())) {
        TarArchiveEntry entry = files.getNextEntry();
        for (; entry != null; entry = files.getNextEntry()) {
          contents = contents.with(entry, files);
        }
      }
    }
    return contents;
  }

  /** Unpacks the layers over each other in a new folder, as a container runtime does. */
  Path root() throws Exception {
    Path root = Files.createDirectory(layout.resolve("root"));
    for (Path layer : layers()) {
      run("tar", "-xzpf", layer.toString(), "-C", root.toString(), "--numeric-owner");
    }
    return root;
  }
}
