package io.sluice.gateway.admin;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.SpecDocument;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Generator of the operations in docs/operations/admin.md from admin-openapi.yaml. */
final class AdminApiPage {
  private static final String BEGIN = "<!-- begin: operations -->\n";
  private static final String END = "<!-- end: operations -->\n";
  private static final String RESPONSES = "responses";
  private static final String DESCRIPTION = "description";
  private static final String PROPERTIES = "properties";
  private static final SpecDocument DOCUMENT = AdminOpenApi.DOCUMENT;

  private final StringBuilder page = new StringBuilder();

  private AdminApiPage() {}

  /** Returns the page with the operations of the document between its markers. */
  static String replaceOperations(String page) {
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    return page.substring(0, begin) + new AdminApiPage().text() + page.substring(page.indexOf(END));
  }

  private String text() {
    AdminOpenApi.paths().properties().forEach(path -> add(path.getKey(), path.getValue()));
    page.append(
        "\n"
            + "## Errors\n\n"
            + "Operations share these responses. Health checks and `/login` do not use 401, 403, 429 and 503.");
    page.append(" 413 and 415 apply to requests with a body.\n\n");
    page.append("| status | meaning |\n|---|---|\n");
    addError(401, "Unauthorized");
    addError(403, "Forbidden");
    addError(404, "NotFound");
    addError(405, "MethodNotAllowed");
    addError(413, "TooLong");
    addError(415, "UnsupportedType");
    addError(429, "TooManyRequests");
    addError(503, "Unavailable");
    return page.append('\n').toString();
  }

  private void addError(int status, String name) {
    JsonNode response = DOCUMENT.root().at("/components/responses/" + name);
    page.append("| %d | %s |\n".formatted(status, text(response)));
  }

  private void add(String path, JsonNode item) {
    for (String method : AdminOpenApi.methods(item)) {
      if (!method.equals("head")) {
        add(method.toUpperCase(Locale.ROOT) + " " + path, item, item.get(method));
      }
    }
  }

  private void add(String name, JsonNode item, JsonNode operation) {
    page.append("\n### %s\n\n%s".formatted(name, operation.get("summary").asText()));
    page.append(operation.has(DESCRIPTION) ? " " + text(operation) + "\n" : "\n");
    addParameters(item, operation);
    JsonNode body = operation.at("/requestBody/content/application~1json");
    if (!body.isMissingNode()) {
      JsonNode schema = DOCUMENT.resolved(body.get("schema"));
      page.append("\nBody: `").append(body.get("example")).append("`");
      page.append(schema.has(DESCRIPTION) ? ". " + text(schema) + "\n" : "\n");
      addMembers(schema);
    }
    page.append("\n| status | response |\n|---|---|\n");
    operation
        .get(RESPONSES)
        .properties()
        .forEach(response -> addResponse(response.getKey(), response.getValue()));
    operation.get(RESPONSES).properties().stream()
        .map(response -> response.getValue().at("/content/application~1json"))
        .filter(content -> !content.isMissingNode())
        .collect(
            Collectors.toMap(
                content -> DOCUMENT.resolved(content.get("schema")),
                content -> content,
                (first, second) -> second,
                LinkedHashMap::new))
        .values()
        .forEach(this::addContent);
  }

  private void addParameters(JsonNode item, JsonNode operation) {
    if (item.has("parameters") || operation.has("parameters")) {
      page.append("\n| parameter | values | meaning |\n|---|---|---|\n");
      item.path("parameters").forEach(this::addParameter);
      operation.path("parameters").forEach(this::addParameter);
    }
  }

  private void addParameter(JsonNode listed) {
    JsonNode parameter = DOCUMENT.resolved(listed);
    JsonNode schema = parameter.get("schema");
    page.append(
        "| `%s` (%s) | %s | %s |\n"
            .formatted(
                parameter.get("name").asText(),
                parameter.get("in").asText(),
                values(schema),
                text(parameter)));
  }

  /** Adds a response of the operation; {@code ## Errors} contains the others. */
  private void addResponse(String status, JsonNode response) {
    if (!response.has("$ref")) {
      page.append("| %s | %s |\n".formatted(status, text(response)));
    }
  }

  private void addContent(JsonNode content) {
    page.append("\n```json\n").append(content.get("example")).append("\n```\n");
  }

  private void addMembers(JsonNode schema) {
    page.append("\n| member | values | meaning |\n|---|---|---|\n");
    for (Map.Entry<String, JsonNode> member : schema.get(PROPERTIES).properties()) {
      JsonNode value = member.getValue();
      JsonNode type = DOCUMENT.resolved(value);
      String meaning = value.has(DESCRIPTION) ? text(value) : text(type);
      page.append("| `%s` | %s | %s |\n".formatted(member.getKey(), values(type), meaning));
    }
  }

  private static String values(JsonNode schema) {
    if (schema.has("enum")) {
      return schema
          .get("enum")
          .valueStream()
          .map(word -> "`" + word.asText() + "`")
          .collect(Collectors.joining(", ", "", preset(schema)));
    }
    if (schema.has("const")) {
      return "`" + schema.get("const").asText() + "`";
    }
    String type = schema.get("type").asText();
    String bounds =
        schema.has("maximum")
            ? " %s to %s".formatted(schema.get("minimum"), schema.get("maximum"))
            : "";
    return type + bounds + preset(schema);
  }

  private static String preset(JsonNode schema) {
    return schema.has("default") ? "; default `" + schema.get("default").asText() + "`" : "";
  }

  private static String text(JsonNode node) {
    return node.get(DESCRIPTION).asText().replace("|", "\\|");
  }
}
