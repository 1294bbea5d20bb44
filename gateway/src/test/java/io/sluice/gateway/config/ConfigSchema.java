package io.sluice.gateway.config;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.Setting.Type;
import java.util.Map;
import java.util.TreeMap;

/** JSON Schema of configuration files, of draft 7, which editors and Helm support. */
final class ConfigSchema {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ConfigSchema() {}

  static String text() {
    ObjectNode root = JSON.createObjectNode();
    root.put("$schema", "http://json-schema.org/draft-07/schema#");
    root.put("title", "Configuration of a Sluice node");
    root.setAll(section(settings()));
    ObjectNode definitions = root.putObject("definitions");
    definitions.putObject("reference").put("type", "string").put("pattern", "\\$\\{");
    definitions.set("texts", texts(1000));
    definitions.set("rule", rule());
    return root.toPrettyString() + "\n";
  }

  private static Map<String, Setting<?>> settings() {
    Map<String, Setting<?>> settings = new TreeMap<>();
    Settings.all().forEach(setting -> settings.put(setting.key(), setting));
    return settings;
  }

  /** Returns the schema of a section: a key may be nested at each of its dots. */
  private static ObjectNode section(Map<String, Setting<?>> byRest) {
    ObjectNode properties = JSON.createObjectNode();
    Map<String, Map<String, Setting<?>>> sections = new TreeMap<>();
    byRest.forEach(
        (rest, setting) -> {
          properties.set(rest, value(setting));
          for (int dot = rest.indexOf('.'); dot >= 0; dot = rest.indexOf('.', dot + 1)) {
            sections
                .computeIfAbsent(rest.substring(0, dot), any -> new TreeMap<>())
                .put(rest.substring(dot + 1), setting);
          }
        });
    sections.forEach((name, nested) -> properties.set(name, section(nested)));
    ObjectNode schema = JSON.createObjectNode();
    schema.putArray("type").add("object").add("null");
    schema.put("additionalProperties", false);
    schema.set("properties", properties);
    return schema;
  }

  private static ObjectNode value(Setting<?> setting) {
    ObjectNode schema = JSON.createObjectNode();
    schema.put("description", setting.meaning());
    Type<?> type = setting.type();
    if (type == Type.LIST) {
      return schema.setAll(texts(setting.maximum()));
    } else if (type == Type.MAP) {
      schema.put("type", "object").put("maxProperties", setting.maximum());
      schema.set("additionalProperties", scalar());
    } else if (type == Type.RULES) {
      schema.put("type", "array").put("maxItems", setting.maximum());
      schema.putObject("items").put("$ref", "#/definitions/rule");
    } else {
      ArrayNode alternatives = schema.putArray("anyOf");
      alternatives.add(scalar(setting));
      alternatives.addObject().put("$ref", "#/definitions/reference");
    }
    return schema;
  }

  private static ObjectNode scalar(Setting<?> setting) {
    ObjectNode schema = JSON.createObjectNode();
    Type<?> type = setting.type();
    if (!setting.choices().isEmpty()) {
      setting.choices().forEach(schema.putArray("enum")::add);
    } else if (type == Type.INTEGER) {
      schema.put("type", "integer");
      schema.put("minimum", setting.minimum()).put("maximum", setting.maximum());
    } else if (type == Type.RATIO) {
      schema.put("type", "number").put("minimum", 0).put("maximum", 1);
    } else if (type == Type.FLAG) {
      schema.put("type", "boolean");
    } else if (type == Type.DURATION) {
      schema.put("type", "string").put("pattern", "^[0-9]+\\s*(ms|s|m|h)$");
    } else if (type == Type.BYTES) {
      schema.putArray("type").add("string").add("integer");
      schema.put("pattern", "^[0-9]+\\s*(B|KiB|MiB|GiB)?$").put("minimum", setting.minimum());
    } else {
      return scalar().put("maxLength", setting.maximum());
    }
    return schema;
  }

  /** Returns the schema of a text, which YAML may read as another scalar. */
  private static ObjectNode scalar() {
    ObjectNode schema = JSON.createObjectNode();
    schema.putArray("type").add("string").add("number").add("boolean");
    return schema;
  }

  private static ObjectNode texts(long maximum) {
    ObjectNode schema = JSON.createObjectNode().put("type", "array").put("maxItems", maximum);
    schema.set("items", scalar());
    return schema;
  }

  private static ObjectNode rule() {
    ObjectNode rule = JSON.createObjectNode();
    rule.put("type", "object").put("additionalProperties", false);
    ObjectNode properties = rule.putObject("properties");
    ObjectNode condition = properties.putObject("if").put("type", "object");
    condition.set("additionalProperties", scalar());
    properties.putObject("compress").set("enum", JSON.createArrayNode().add("alone"));
    for (Operation operation : Operation.ALL) {
      properties.putObject(operation.key()).put("$ref", "#/definitions/texts");
    }
    return rule;
  }
}
