package io.sluice.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Software bill of materials of the image in CycloneDX JSON: the gateway's components and the
 * Debian packages. Any thread may call it.
 */
final class ImageSbom {
  private static final JsonMapper JSON = new JsonMapper();

  private ImageSbom() {}

  static byte[] of(byte[] gateway, List<DebianPackage> packages, ImageMetadata metadata)
      throws IOException {
    ObjectNode bom = (ObjectNode) JSON.readTree(gateway);
    JsonNode application = bom.path("metadata").path("component").deepCopy();
    ArrayNode components = bom.withArray("components");
    components.add(application);
    ObjectNode image = image(metadata);
    ArrayNode parts = JSON.createArrayNode().add(application.path("bom-ref"));
    for (DebianPackage each : packages) {
      ObjectNode component = component(each);
      components.add(component);
      parts.add(component.get("bom-ref"));
    }
    bom.withObject("/metadata").set("component", image);
    bom.withObject("/metadata").put("timestamp", metadata.time().toString());
    ObjectNode dependency = bom.withArray("dependencies").addObject();
    dependency.set("ref", image.get("bom-ref"));
    dependency.set("dependsOn", parts);
    // Derived from the content, for a reproducible file.
    bom.remove("serialNumber");
    bom.put("serialNumber", "urn:uuid:" + UUID.nameUUIDFromBytes(JSON.writeValueAsBytes(bom)));
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(bom);
  }

  private static ObjectNode image(ImageMetadata metadata) {
    String purl =
        "pkg:oci/sluice@" + encode(metadata.version()) + "?arch=" + metadata.architecture();
    ObjectNode image = JSON.createObjectNode();
    image.put("type", "container").put("bom-ref", purl).put("name", "sluice");
    return image.put("version", metadata.version()).put("purl", purl);
  }

  private static ObjectNode component(DebianPackage from) throws IOException {
    String purl =
        "pkg:deb/debian/%s@%s?arch=%s&distro=debian-13"
            .formatted(encode(from.name()), encode(from.version()), from.architecture());
    ObjectNode component = JSON.createObjectNode();
    component.put("type", "library").put("bom-ref", purl).put("name", from.name());
    component.put("version", from.version());
    ObjectNode hash = component.putArray("hashes").addObject();
    hash.put("alg", "SHA-256").put("content", Digest.of(from.file()).hex());
    return component.put("purl", purl);
  }

  /** Encodes a part of a package URL. The tilde of Debian versions is not escaped. */
  private static String encode(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("%7E", "~");
  }
}
