package io.sluice.image;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;

/** Image configuration as of the OCI image specification. Any thread may call it. */
final class ImageConfig {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String LABEL = "org.opencontainers.image.";

  private ImageConfig() {}

  static byte[] of(ImageMetadata metadata, List<Layer> layers) throws IOException {
    ObjectNode image = JSON.createObjectNode();
    image.put("created", metadata.time().toString());
    image.put("architecture", metadata.architecture()).put("os", "linux");
    image.set("config", run(metadata));
    ObjectNode files = image.putObject("rootfs").put("type", "layers");
    ArrayNode contents = files.putArray("diff_ids");
    ArrayNode history = image.putArray("history");
    for (Layer layer : layers) {
      contents.add(layer.content().toString());
      ObjectNode step = history.addObject().put("created", metadata.time().toString());
      step.put("created_by", "sluice-image").put("comment", layer.purpose());
    }
    return JSON.writeValueAsBytes(image);
  }

  private static ObjectNode run(ImageMetadata metadata) {
    String java = "/usr/lib/jvm/java-25-openjdk-" + metadata.architecture();
    ObjectNode run = JSON.createObjectNode();
    run.put("User", SystemLayers.USER + ":" + SystemLayers.USER);
    run.putArray("Entrypoint").add("/" + GatewayLayers.HOME + "/bin/sluice");
    run.putArray("Cmd").add("run").add("--config").add("/etc/sluice/sluice.yaml");
    run.putArray("Env")
        .add("PATH=/" + GatewayLayers.HOME + "/bin:" + java + "/bin:/usr/bin")
        .add("LANG=C.UTF-8")
        .add("SLUICE_JAVA=" + java);
    run.put("WorkingDir", "/").put("StopSignal", "SIGTERM");
    run.putObject("ExposedPorts").putObject("8080/tcp");
    run.set("Labels", labels(metadata));
    return run;
  }

  static ObjectNode labels(ImageMetadata metadata) {
    ObjectNode labels = JSON.createObjectNode();
    labels.put(LABEL + "title", "Sluice");
    labels.put(LABEL + "description", "Fans topics of a message broker out over WebSocket");
    labels.put(LABEL + "version", metadata.version());
    labels.put(LABEL + "created", metadata.time().toString());
    return labels.put(LABEL + "licenses", "Apache-2.0");
  }
}
