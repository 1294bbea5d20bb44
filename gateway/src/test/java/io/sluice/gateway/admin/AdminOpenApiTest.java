package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cluster.NodeState;
import io.sluice.gateway.SpecDocument;
import io.sluice.gateway.admin.AdminRoute.Access;
import io.sluice.gateway.admin.query.Page;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.revocation.Revocation;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/reference/admin-openapi.yaml and the routes of the admin port. */
class AdminOpenApiTest {
  private static final SpecDocument DOCUMENT = AdminOpenApi.DOCUMENT;

  @Test
  void shouldDescribeTheRoutesOfTheCode() {
    Map<String, Set<String>> routes =
        Stream.of(AdminRoute.values())
            .collect(
                Collectors.toMap(
                    AdminRoute::path,
                    route ->
                        route.methods().stream()
                            .map(HttpMethod::name)
                            .collect(Collectors.toSet())));
    assertThat(AdminOpenApi.routes()).isEqualTo(routes);
  }

  @ParameterizedTest
  @EnumSource(AdminRoute.class)
  void shouldDescribeTheAuthorization(AdminRoute route) {
    JsonNode path = AdminOpenApi.paths().get(route.path());
    for (String method : AdminOpenApi.methods(path)) {
      JsonNode operation = path.get(method);
      boolean open = route.access() == Access.OPEN;
      assertThat(operation.has("security")).as(method).isEqualTo(open);
      assertThat(operation.path("security")).as(method).isEmpty();
      assertThat(operation.get("responses").has("401")).as(method).isEqualTo(!open);
      assertThat(operation.get("responses").has("403")).as(method).isEqualTo(!open);
      assertThat(operation.get("responses").has("429")).as(method).isEqualTo(!open);
      assertThat(open || operation.get("responses").has("503")).as(method).isTrue();
    }
    assertThat(DOCUMENT.root().at("/security/0").has("token")).isTrue();
  }

  @ParameterizedTest
  @EnumSource(AdminRoute.class)
  void shouldDescribeTheParametersOfChanges(AdminRoute route) {
    JsonNode path = AdminOpenApi.paths().get(route.path());
    for (String method : AdminOpenApi.methods(path)) {
      if (!List.of("get", "head").contains(method)) {
        List<String> names =
            path.get(method)
                .path("parameters")
                .valueStream()
                .map(DOCUMENT::resolved)
                .filter(parameter -> parameter.get("in").asText().equals("query"))
                .map(parameter -> parameter.get("name").asText())
                .toList();
        assertThat(names).as(method).hasSameElementsAs(route.parametersOfChanges());
        assertThat(path.get(method).get("responses").has("400")).as(method).isTrue();
      }
    }
  }

  @Test
  void shouldHaveTheLimitsOfTheCode() {
    assertThat(at("/components/schemas/Clients/properties/clients/maxItems").asInt())
        .isEqualTo(Page.MAX_NODE_LIMIT);
    assertThat(at("/components/schemas/Revocations/properties/revocations/maxItems").asInt())
        .isEqualTo(RevocationPages.MAX_LISTED);
    assertThat(at("/paths/~1durables/get/parameters/1/schema/maximum").asInt())
        .isEqualTo(DurablePages.MAX_LISTED);
    assertThat(at("/components/schemas/Durables/properties/subscriptions/maxItems").asInt())
        .isEqualTo(DurablePages.MAX_LISTED);
    assertThat(at("/components/schemas/Identifier/maxLength").asInt())
        .isEqualTo(RevocationOrder.MAX_LENGTH);
  }

  @Test
  void shouldHaveTheWordsOfTheCode() {
    assertThat(words("/components/schemas/Client/properties/mechanism/enum"))
        .containsExactlyElementsOf(Stream.of(Mechanism.values()).map(Mechanism::word).toList());
    assertThat(words("/components/schemas/State/enum"))
        .containsExactlyElementsOf(Stream.of(NodeState.values()).map(NodeState::word).toList());
    assertThat(words("/paths/~1revocations~1{kind}~1{value}/parameters/0/schema/enum"))
        .containsExactlyElementsOf(
            Stream.of(Revocation.Kind.values()).map(Revocation.Kind::word).toList());
  }

  @Test
  void shouldHaveValidExamples() {
    List<JsonNode> examples =
        DOCUMENT.root().findParents("example").stream()
            .filter(content -> content.has("schema"))
            .toList();
    assertThat(examples)
        .hasSizeGreaterThan(8)
        .allSatisfy(
            content ->
                assertThat(DOCUMENT.violations(content.get("schema"), content.get("example")))
                    .as(content.get("example").toString())
                    .isEmpty());
  }

  private static JsonNode at(String pointer) {
    return DOCUMENT.root().at(pointer);
  }

  private static List<String> words(String pointer) {
    return at(pointer).valueStream().map(JsonNode::asText).toList();
  }
}
