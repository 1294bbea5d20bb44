package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Validator of objects by the vendored schemas. Used by one thread. */
final class KubernetesSchemas {
  private static final String BASE = "classpath:schemas/";

  private final JsonSchemaFactory factory = JsonSchemaFactory.getInstance(VersionFlag.V7);
  private final Map<String, JsonSchema> schemas = new HashMap<>();

  /** Returns the problems of an object; none if it is valid. */
  List<String> problems(JsonNode object) {
    return schemas.computeIfAbsent(file(object), this::load).validate(object).stream()
        .map(ValidationMessage::getMessage)
        .toList();
  }

  private JsonSchema load(String file) {
    return factory.getSchema(SchemaLocation.of(BASE + file));
  }

  /** Returns the file name for kind, group and version, as kubeconform writes it. */
  private static String file(JsonNode object) {
    String kind = object.get("kind").asText().toLowerCase(Locale.ROOT);
    String[] api = object.get("apiVersion").asText().split("/");
    String group = api.length == 1 ? "" : api[0].split("\\.")[0] + "-";
    return kind + "-" + group + api[api.length - 1] + ".json";
  }
}
