package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The objects of one rendering. */
record Rendered(List<JsonNode> objects) {
  private static final String POD = "/spec/template/spec";

  boolean has(String kind) {
    return objects.stream().anyMatch(object -> is(object, kind));
  }

  List<String> names(String kind) {
    return objects.stream()
        .filter(object -> is(object, kind))
        .map(object -> object.at("/metadata/name").asText())
        .toList();
  }

  /** Returns the only object of a kind. */
  JsonNode one(String kind) {
    List<JsonNode> found = objects.stream().filter(object -> is(object, kind)).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " objects of kind " + kind);
    }
    return found.get(0);
  }

  JsonNode one(String kind, String name) {
    return objects.stream()
        .filter(object -> is(object, kind))
        .filter(object -> object.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " named " + name));
  }

  /** Returns the specification of a node's pod. */
  JsonNode pod() {
    return one(has("StatefulSet") ? "StatefulSet" : "Deployment").at(POD);
  }

  JsonNode container() {
    return pod().at("/containers/0");
  }

  /** Returns the node's configuration file. */
  JsonNode config() {
    return Yaml.read(one("ConfigMap", Chart.RELEASE).at("/data/sluice.yaml").asText());
  }

  private static boolean is(JsonNode object, String kind) {
    return object.path("kind").asText().equals(kind);
  }
}
