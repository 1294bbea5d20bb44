package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Generator of strict schemas for the kinds that the chart renders. The sources are the
 * specification of Kubernetes' API server and two sets of custom resources. Schemas contain only
 * the structure and reject unknown fields. File names are those that kubeconform requires.
 */
final class VendoredSchemas {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String DEFINITIONS = "definitions.json";
  private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  private static final Set<String> KEPT_OUT =
      Set.of("description", "default", "format", "example", "externalDocs");

  /** Names of the API server's types by file name. */
  private static final Map<String, String> KINDS =
      Map.of(
          "configmap-v1", "io.k8s.api.core.v1.ConfigMap",
          "pod-v1", "io.k8s.api.core.v1.Pod",
          "service-v1", "io.k8s.api.core.v1.Service",
          "serviceaccount-v1", "io.k8s.api.core.v1.ServiceAccount",
          "deployment-apps-v1", "io.k8s.api.apps.v1.Deployment",
          "statefulset-apps-v1", "io.k8s.api.apps.v1.StatefulSet",
          "horizontalpodautoscaler-autoscaling-v2",
              "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
          "ingress-networking-v1", "io.k8s.api.networking.v1.Ingress",
          "networkpolicy-networking-v1", "io.k8s.api.networking.v1.NetworkPolicy",
          "poddisruptionbudget-policy-v1", "io.k8s.api.policy.v1.PodDisruptionBudget");

  private static final Map<String, String> CUSTOM =
      Map.of(
          "servicemonitor-monitoring-v1",
          "prometheus-operator/example/prometheus-operator-crd/"
              + "monitoring.coreos.com_servicemonitors.yaml",
          "prometheusrule-monitoring-v1",
          "prometheus-operator/example/prometheus-operator-crd/"
              + "monitoring.coreos.com_prometheusrules.yaml",
          "httproute-gateway-v1",
          "gateway-api/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
          "tlsroute-gateway-v1",
          "gateway-api/config/crd/standard/gateway.networking.k8s.io_tlsroutes.yaml");

  private final Path sources;
  private final Path folder;

  /**
   * @param sources folder with kubernetes, prometheus-operator and gateway-api
   * @param folder target folder of the schemas
   */
  VendoredSchemas(Path sources, Path folder) {
    this.sources = sources;
    this.folder = folder;
  }

  void write() throws IOException {
    JsonNode api =
        JSON.readTree(sources.resolve("kubernetes/api/openapi-spec/swagger.json").toFile());
    writeDefinitions(api.get("definitions"));
    for (Map.Entry<String, String> kind : KINDS.entrySet()) {
      write(
          kind.getKey(), "{\"$ref\":\"" + DEFINITIONS + "#/definitions/" + kind.getValue() + "\"}");
    }
    for (Map.Entry<String, String> kind : CUSTOM.entrySet()) {
      write(kind.getKey(), custom(sources.resolve(kind.getValue())).toString());
    }
  }

  private void write(String name, String schema) throws IOException {
    Files.writeString(folder.resolve(name + ".json"), schema + "\n");
  }

  /** Writes one definition per line, for a readable diff between versions of Kubernetes. */
  private void writeDefinitions(JsonNode all) throws IOException {
    StringJoiner lines = new StringJoiner(",\n", "{\"definitions\":{\n", "\n}}\n");
    reachable(all).forEach((name, schema) -> lines.add("\"" + name + "\":" + schema));
    Files.writeString(folder.resolve(DEFINITIONS), lines.toString());
  }

  private static Map<String, JsonNode> reachable(JsonNode all) {
    Map<String, JsonNode> found = new TreeMap<>();
    Deque<String> open = new ArrayDeque<>(KINDS.values());
    while (!open.isEmpty()) {
      String name = open.pop();
      if (!found.containsKey(name)) {
        JsonNode schema = name.equals(QUANTITY) ? textOrNumber() : strict(all.get(name));
        found.put(name, schema);
        schema.findValuesAsText("$ref").stream()
            .map(ref -> ref.substring(ref.lastIndexOf('/') + 1))
            .forEach(open::push);
      }
    }
    return found;
  }

  private static JsonNode custom(Path definition) {
    for (JsonNode version : Yaml.read(definition).at("/spec/versions")) {
      if (version.get("name").asText().equals("v1")) {
        ObjectNode schema = (ObjectNode) strict(version.at("/schema/openAPIV3Schema"));
        ObjectNode meta = NODES.objectNode().put("$ref", DEFINITIONS + "#/definitions/" + META);
        ((ObjectNode) schema.get("properties")).set("metadata", meta);
        return schema;
      }
    }
    throw new IllegalStateException(definition + " has no version v1");
  }

  private static ObjectNode textOrNumber() {
    ArrayNode types = NODES.arrayNode().add("string").add("number");
    return NODES.objectNode().set("type", types);
  }

  /** Returns the structure of a schema; a schema with fields rejects unknown ones. */
  private static JsonNode strict(JsonNode schema) {
    if (isTextOrNumber(schema)) {
      return textOrNumber();
    }
    ObjectNode strict = NODES.objectNode();
    for (Map.Entry<String, JsonNode> member : schema.properties()) {
      if (!KEPT_OUT.contains(member.getKey()) && !member.getKey().startsWith("x-")) {
        strict.set(member.getKey(), strictMember(member.getKey(), member.getValue()));
      }
    }
    boolean open = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
    if (strict.has("properties") && !strict.has("additionalProperties") && !open) {
      strict.put("additionalProperties", false);
    }
    return strict;
  }

  private static JsonNode strictMember(String name, JsonNode value) {
    return switch (name) {
      case "properties" -> {
        ObjectNode properties = NODES.objectNode();
        value.properties().forEach(each -> properties.set(each.getKey(), strict(each.getValue())));
        yield properties;
      }
      // These members narrow the type of their schema; they must not reject unknown fields.
      case "anyOf", "oneOf", "allOf", "not" -> value;
      case "items", "additionalProperties" -> value.isObject() ? strict(value) : value;
      default -> value;
    };
  }

  private static boolean isTextOrNumber(JsonNode schema) {
    return schema.path("x-kubernetes-int-or-string").asBoolean()
        || schema.path("format").asText().equals("int-or-string");
  }
}
