package io.sluice.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * YAML document in docs/reference that contains JSON schemas: OpenAPI or AsyncAPI. For any thread.
 */
public final class SpecDocument {
  private static final JsonSchemaFactory SCHEMAS =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
  private static final String REF = "$ref";
  private static final String COMPONENTS = "components";

  private final JsonNode root;
  private final Map<JsonNode, JsonSchema> compiled = new ConcurrentHashMap<>();

  private SpecDocument(JsonNode root) {
    this.root = root;
  }

  public static SpecDocument read(String name) {
    try {
      String text = Files.readString(Path.of("..", "docs", "reference", name));
      Object tree = new Load(LoadSettings.builder().build()).loadFromString(text);
      return new SpecDocument(new ObjectMapper().valueToTree(tree));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public JsonNode root() {
    return root;
  }

  /** Returns a node, or the one that it refers to. */
  public JsonNode resolved(JsonNode node) {
    return node.has(REF) ? resolved(root.at(node.get(REF).asText().substring(1))) : node;
  }

  /** Returns the violations of a schema of this document, none if the value is valid. */
  public List<String> violations(JsonNode schema, JsonNode value) {
    return compiled.computeIfAbsent(schema, this::compile).validate(value).stream()
        .map(ValidationMessage::toString)
        .toList();
  }

  /** References lead to the components of the document, which the schema therefore contains. */
  private JsonSchema compile(JsonNode schema) {
    ObjectNode whole = schema.deepCopy();
    whole.set(COMPONENTS, root.get(COMPONENTS));
    return SCHEMAS.getSchema(whole);
  }
}
