package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sluice.gateway.SpecDocument;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks of responses against docs/reference/admin-openapi.yaml. For any thread. */
final class AdminOpenApi {
  static final SpecDocument DOCUMENT = SpecDocument.read("admin-openapi.yaml");

  private static final Set<String> METHODS =
      Set.of("get", "head", "post", "put", "patch", "delete", "options", "trace");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Responses that precede the choice of the operation, by status. */
  private static final Map<Integer, String> GENERAL =
      Map.of(
          401, "Unauthorized",
          403, "Forbidden",
          404, "NotFound",
          405, "MethodNotAllowed",
          429, "TooManyRequests");

  private AdminOpenApi() {}

  static JsonNode paths() {
    return DOCUMENT.root().get("paths");
  }

  /** Returns the methods of a path, in lower case. */
  static List<String> methods(JsonNode path) {
    return path.properties().stream().map(Map.Entry::getKey).filter(METHODS::contains).toList();
  }

  /** Returns the response; fails if the document does not describe it. */
  static HttpResponse<String> checked(HttpResponse<String> response) {
    String method = response.request().method();
    String what = method + " " + response.uri().getRawPath() + ": " + response.statusCode();
    JsonNode documented = documented(method, response);
    assertThat(documented).as(what + " is not in admin-openapi.yaml").isNotNull();
    JsonNode content = documented.path("content");
    if (method.equals("HEAD") || content.isEmpty()) {
      assertThat(response.body()).as(what).isEmpty();
    } else {
      String type = response.headers().firstValue("Content-Type").orElse("").split(";")[0];
      assertThat(content.properties()).as(what).extracting(Map.Entry::getKey).contains(type);
      assertThat(DOCUMENT.violations(content.get(type).get("schema"), body(type, response.body())))
          .as(what + " " + response.body())
          .isEmpty();
    }
    return response;
  }

  private static JsonNode documented(String method, HttpResponse<String> response) {
    int status = response.statusCode();
    Optional<JsonNode> path = path(response.uri().getRawPath());
    JsonNode operation = path.map(item -> item.get(method.toLowerCase(Locale.ROOT))).orElse(null);
    if (operation != null) {
      JsonNode found = operation.get("responses").get(Integer.toString(status));
      return found == null ? null : DOCUMENT.resolved(found);
    }
    if (status == 405 && path.isPresent()) {
      assertThat(response.headers().firstValue("Allow").orElse("").split(", "))
          .containsExactlyInAnyOrderElementsOf(
              methods(path.get()).stream().map(name -> name.toUpperCase(Locale.ROOT)).toList());
    }
    boolean possible = path.isPresent() ? status != 404 : status == 404;
    return possible && GENERAL.containsKey(status)
        ? DOCUMENT.root().at("/components/responses/" + GENERAL.get(status))
        : null;
  }

  private static Optional<JsonNode> path(String path) {
    return paths().properties().stream()
        .filter(item -> path.matches(pattern(item.getKey())))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Returns the pattern of a path; the last parameter may contain slashes. */
  private static String pattern(String template) {
    return template.replaceAll("\\{[^}]+}$", ".*").replaceAll("\\{[^}]+}", "[^/]*");
  }

  private static JsonNode body(String type, String body) {
    try {
      return type.equals("application/json") ? JSON.readTree(body) : TextNode.valueOf(body);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + body, e);
    }
  }

  /** Returns the routes of the document: methods in upper case by path. */
  static Map<String, Set<String>> routes() {
    return paths().properties().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                item ->
                    methods(item.getValue()).stream()
                        .map(name -> name.toUpperCase(Locale.ROOT))
                        .collect(Collectors.toSet())));
  }
}
