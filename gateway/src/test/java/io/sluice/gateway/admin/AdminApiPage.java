package io.sluice.gateway.admin;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.SpecDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Generator of the table of operations in docs/operations/admin.md from admin-openapi.yaml. */
final class AdminApiPage {
  private static final String BEGIN = "<!-- begin: operations -->\n";
  private static final String END = "<!-- end: operations -->\n";
  private static final SpecDocument DOCUMENT = AdminOpenApi.DOCUMENT;

  private final StringBuilder page = new StringBuilder();

  private AdminApiPage() {}

  /** Returns the page with the operations of the document between its markers. */
  static String replaceOperations(String page) {
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    return page.substring(0, begin) + new AdminApiPage().text() + page.substring(page.indexOf(END));
  }

  private String text() {
    page.append("| operation | purpose | parameters |\n|---|---|---|\n");
    AdminOpenApi.paths().properties().forEach(path -> add(path.getKey(), path.getValue()));
    return page.toString();
  }

  private void add(String path, JsonNode item) {
    for (String method : AdminOpenApi.methods(item)) {
      if (!method.equals("head")) {
        add(method.toUpperCase(Locale.ROOT) + " " + path, item, item.get(method));
      }
    }
  }

  private void add(String name, JsonNode item, JsonNode operation) {
    String purpose = operation.get("summary").asText().replaceFirst("^Returns ", "");
    page.append(
        "| `%s` | %s | %s |\n"
            .formatted(
                name,
                purpose.substring(0, purpose.length() - 1),
                String.join(", ", parameters(item, operation))));
  }

  /** Returns the names of query parameters and of members of the body. */
  private static List<String> parameters(JsonNode item, JsonNode operation) {
    List<String> names = new ArrayList<>();
    Stream.concat(item.path("parameters").valueStream(), operation.path("parameters").valueStream())
        .map(DOCUMENT::resolved)
        .filter(parameter -> parameter.get("in").asText().equals("query"))
        .forEach(parameter -> names.add("`" + parameter.get("name").asText() + "`"));
    JsonNode body = operation.at("/requestBody/content/application~1json/schema");
    if (!body.isMissingNode()) {
      JsonNode members = DOCUMENT.resolved(body).path("properties");
      String text =
          members.properties().stream().map(Map.Entry::getKey).collect(Collectors.joining(", "));
      names.addAll(text.isEmpty() ? List.of() : List.of("`{" + text + "}`"));
    }
    return names;
  }
}
