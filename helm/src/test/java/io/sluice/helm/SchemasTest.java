package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rendered objects, validated by Kubernetes' schemas. */
class SchemasTest {
  private static final KubernetesSchemas SCHEMAS = new KubernetesSchemas();

  /** Writes the schemas again; called by src/test/scripts/vendor-schemas.sh. */
  @BeforeAll
  static void writeIfAsked() throws IOException {
    String sources = System.getProperty("sluice.schemas.sources");
    if (sources != null) {
      new VendoredSchemas(Path.of(sources), Path.of("src/test/resources/schemas")).write();
    }
  }

  static List<Path> scenarios() {
    return Chart.scenarios();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldRenderValidObjects(Path scenario) {
    for (JsonNode object : Chart.render(scenario).objects()) {
      assertThat(SCHEMAS.problems(object)).as(object.at("/kind").asText()).isEmpty();
    }
  }

  @Test
  void shouldReportUnknownField() {
    JsonNode deployment = Chart.scenario("default").one("Deployment").deepCopy();
    ((ObjectNode) deployment.at("/spec/template/spec/containers/0")).put("imagePolicy", "Always");

    assertThat(SCHEMAS.problems(deployment)).singleElement().asString().contains("imagePolicy");
  }

  @Test
  void shouldReportFieldOfWrongType() {
    JsonNode deployment = Chart.scenario("default").one("Deployment").deepCopy();
    ((ObjectNode) deployment.at("/spec")).put("replicas", "two");

    assertThat(SCHEMAS.problems(deployment)).singleElement().asString().contains("replicas");
  }
}
