package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Values of the chart and their schema. */
class ValuesTest {
  /** Maps whose keys the user selects. */
  private static final Set<String> OPEN =
      Set.of(".secretEnvironment", ".definitions.texts", ".definitions.passedThrough");

  private final JsonNode schema = Yaml.read(Chart.FOLDER.resolve("values.schema.json"));

  @Test
  void shouldHaveACommentOnEveryValue() {
    assertThat(Values.all())
        .hasSizeGreaterThan(80)
        .allSatisfy(value -> assertThat(value.comment()).as(value.path()).endsWith("."));
  }

  @Test
  void shouldHaveEveryValueInTheSchemaAndNoOther() {
    assertThat(leaves("", schema)).containsExactlyInAnyOrderElementsOf(paths());
  }

  private static List<String> paths() {
    return Values.all().stream().map(Values.Value::path).toList();
  }

  private static List<String> leaves(String path, JsonNode schema) {
    List<String> leaves = new ArrayList<>();
    for (Map.Entry<String, JsonNode> member : schema.path("properties").properties()) {
      String at = path.isEmpty() ? member.getKey() : path + "." + member.getKey();
      boolean section = member.getValue().has("properties") && !at.equals("seccompProfile");
      leaves.addAll(section ? leaves(at, member.getValue()) : List.of(at));
    }
    return leaves;
  }

  @Test
  void shouldRejectUnknownKeysEverywhere() {
    assertThat(openMaps("", schema)).containsExactlyInAnyOrderElementsOf(OPEN);
  }

  /** Returns the paths of the schemas of objects that accept any key. */
  private static List<String> openMaps(String path, JsonNode tree) {
    List<String> open = new ArrayList<>();
    if (tree.path("type").asText().equals("object")
        && tree.path("additionalProperties").asBoolean(true)) {
      open.add(path.replace(".properties", ""));
    }
    tree.properties()
        .forEach(each -> open.addAll(openMaps(path + "." + each.getKey(), each.getValue())));
    open.removeIf(each -> each.startsWith(".definitions.configuration.")); // the gateway's
    return open;
  }
}
