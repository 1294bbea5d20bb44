package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The schema of {@code config}, which is that of the gateway's configuration file. */
class ConfigurationSchemaTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SOURCE = Path.of("..", "docs", "reference", "config.schema.json");
  private static final Path TARGET = Chart.FOLDER.resolve("values.schema.json");
  private static final String BEGIN = "    \"configuration\": ";

  /** Returns the line of values.schema.json. */
  private static String line() throws IOException {
    ObjectNode source = (ObjectNode) JSON.readTree(SOURCE.toFile());
    ObjectNode configuration = JSON.createObjectNode().put("type", "object");
    configuration.put("additionalProperties", false);
    configuration.putObject("patternProperties").putObject("\\."); // a template rejects them
    ObjectNode properties = configuration.putObject("properties");
    source
        .get("properties")
        .properties()
        .forEach(
            each -> {
              if (!each.getKey().contains(".")) { // the chart merges sections by their names
                properties.set(each.getKey(), each.getValue());
              }
            });
    configuration.set("definitions", source.get("definitions"));
    removeDescriptions(configuration);
    return BEGIN
        + JSON.writeValueAsString(configuration)
            .replace("#/definitions/", "#/definitions/configuration/definitions/")
        + ",";
  }

  private static void removeDescriptions(JsonNode tree) {
    if (tree instanceof ObjectNode object && object.path("description").isTextual()) {
      object.remove("description");
    }
    tree.forEach(ConfigurationSchemaTest::removeDescriptions);
  }

  static List<Path> scenarios() {
    return Chart.scenarios();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldRenderOnlySettingsOfTheGateway(Path scenario) throws IOException {
    JsonSchema schema =
        JsonSchemaFactory.getInstance(VersionFlag.V7).getSchema(JSON.readTree(SOURCE.toFile()));

    assertThat(schema.validate(Chart.render(scenario).config())).isEmpty();
  }

  @Test
  void shouldContainTheSchemaOfTheConfiguration() throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(TARGET));
    int index = 0;
    while (!lines.get(index).startsWith(BEGIN)) {
      index++;
    }
    if ("write".equals(System.getProperty("sluice.docs"))) {
      lines.set(index, line());
      Files.write(TARGET, lines);
    }
    assertThat(lines.get(index))
        .as("configuration in %s; -Dsluice.docs=write writes it anew", TARGET)
        .isEqualTo(line());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "config: {server: {prot: 1}} | prot",
        "config: {limits: {subscriptions: many}} | subscriptions",
        "config: {nonsense: {a: 1}} | nonsense",
        "config: {log: {level: loud}} | level"
      })
  void shouldRejectInvalidConfigurations(String values, String key) {
    assertThatThrownBy(() -> Chart.with(values)).hasMessageContaining(key);
  }

  @Test
  void shouldAcceptVariables() {
    JsonNode config = Chart.with("config: {limits: {subscriptions: '${NUMBER}'}}").config();

    assertThat(config.at("/limits/subscriptions").asText()).isEqualTo("${NUMBER}");
  }
}
