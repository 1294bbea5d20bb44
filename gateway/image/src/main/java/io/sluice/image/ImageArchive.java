package io.sluice.image;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * Writer of the image's archive: an OCI layout that also contains Docker's {@code manifest.json},
 * for {@code docker load}. Any thread may call it.
 */
final class ImageArchive {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String OCI = "application/vnd.oci.image.";
  private static final String MANIFEST = OCI + "manifest.v1+json";

  private ImageArchive() {}

  /** Writes an image and returns its manifest's digest, by which registries identify it. */
  static Digest write(Path file, ImageMetadata metadata, List<Layer> layers) throws IOException {
    byte[] config = ImageConfig.of(metadata, layers);
    byte[] manifest = manifest(metadata, config, layers);
    try (TarArchiveOutputStream archive =
        LayerWriter.archive(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16))) {
      Entries entries = new Entries(archive, FileTime.from(metadata.time()));
      entries.add("oci-layout", text("{\"imageLayoutVersion\":\"1.0.0\"}"));
      entries.add("index.json", index(metadata, manifest));
      entries.add("manifest.json", dockerManifest(metadata, config, layers));
      entries.add(blob(Digest.of(manifest)), manifest);
      entries.add(blob(Digest.of(config)), config);
      for (Layer layer : layers) {
        try (InputStream content = Files.newInputStream(layer.file())) {
          entries.add(blob(layer.digest()), layer.bytes(), content);
        }
      }
    }
    return Digest.of(manifest);
  }

  private record Entries(TarArchiveOutputStream archive, FileTime time) {
    void add(String path, byte[] content) throws IOException {
      add(path, content.length, new ByteArrayInputStream(content));
    }

    void add(String path, long bytes, InputStream content) throws IOException {
      TarArchiveEntry entry = new TarArchiveEntry(path);
      entry.setSize(bytes);
      entry.setModTime(time);
      archive.putArchiveEntry(entry);
      content.transferTo(archive);
      archive.closeArchiveEntry();
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String blob(Digest digest) {
    return "blobs/sha256/" + digest.hex();
  }

  private static byte[] manifest(ImageMetadata metadata, byte[] config, List<Layer> layers)
      throws IOException {
    ObjectNode manifest = JSON.createObjectNode().put("schemaVersion", 2);
    manifest.put("mediaType", MANIFEST);
    manifest.set("config", part(OCI + "config.v1+json", Digest.of(config), config.length));
    ArrayNode parts = manifest.putArray("layers");
    for (Layer layer : layers) {
      parts.add(part(OCI + "layer.v1.tar+gzip", layer.digest(), layer.bytes()));
    }
    manifest.set("annotations", ImageConfig.labels(metadata));
    return JSON.writeValueAsBytes(manifest);
  }

  private static byte[] index(ImageMetadata metadata, byte[] manifest) throws IOException {
    ObjectNode index = JSON.createObjectNode().put("schemaVersion", 2);
    index.put("mediaType", OCI + "index.v1+json");
    ObjectNode image = part(MANIFEST, Digest.of(manifest), manifest.length);
    ObjectNode platform = image.putObject("platform");
    platform.put("architecture", metadata.architecture()).put("os", "linux");
    image.putObject("annotations").put("org.opencontainers.image.ref.name", metadata.reference());
    index.putArray("manifests").add(image);
    return JSON.writeValueAsBytes(index);
  }

  private static ObjectNode part(String type, Digest digest, long bytes) {
    ObjectNode part = JSON.createObjectNode().put("mediaType", type);
    return part.put("digest", digest.toString()).put("size", bytes);
  }

  private static byte[] dockerManifest(ImageMetadata metadata, byte[] config, List<Layer> layers)
      throws IOException {
    ArrayNode images = JSON.createArrayNode();
    ObjectNode image = images.addObject().put("Config", blob(Digest.of(config)));
    image.putArray("RepoTags").add(metadata.reference());
    ArrayNode files = image.putArray("Layers");
    layers.forEach(layer -> files.add(blob(layer.digest())));
    return JSON.writeValueAsBytes(images);
  }
}
