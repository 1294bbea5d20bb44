package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Test case of src/test/resources/alerts/cases.yaml: series and the alerts that they cause.
 *
 * @param alert name of the alert
 * @param when condition of the case, in words
 * @param series values by name of the series, without the labels that all nodes have
 * @param firing pods for which the alert fires, by time
 * @param summary text for the first pod for which it fires; missing if the case does not test it
 */
record AlertCase(String alert, String when, JsonNode series, JsonNode firing, JsonNode summary) {
  private static final Path FILE = Path.of("src", "test", "resources", "alerts", "cases.yaml");
  private static final String NO_POD = "-";
  private static final ObjectMapper JSON = new ObjectMapper();

  static List<AlertCase> all() {
    return Yaml.read(FILE).valueStream().map(AlertCase::of).toList();
  }

  private static AlertCase of(JsonNode tree) {
    return new AlertCase(
        tree.get("alert").asText(),
        tree.get("when").asText(),
        tree.get("series"),
        tree.get("firing"),
        tree.path("summary"));
  }

  boolean fires() {
    return firing.valueStream().anyMatch(pods -> !pods.isEmpty());
  }

  boolean isSilent() {
    return firing.valueStream().anyMatch(JsonNode::isEmpty);
  }

  /**
   * Returns the case in the format of promtool.
   *
   * @param rules path of the file of rules, relative to the file of the case
   * @param rule rule of the alert
   */
  String text(String rules, JsonNode rule) {
    ObjectNode file = JSON.createObjectNode().put("evaluation_interval", "1m");
    file.putArray("rule_files").add(rules);
    ObjectNode test = file.putArray("tests").addObject().put("interval", "1m");
    ArrayNode input = test.putArray("input_series");
    for (Map.Entry<String, JsonNode> each : series.properties()) {
      String name = each.getKey().replace("{", "{namespace=\"live\",service=\"gw-nodes\",");
      input.addObject().put("series", name).put("values", each.getValue().asText());
    }
    ArrayNode queries = test.putArray("promql_expr_test");
    firing.properties().forEach(each -> addQuery(queries, each.getKey(), each.getValue()));
    if (!summary.isMissingNode()) {
      addTexts(test.putArray("alert_rule_test").addObject(), rule);
    }
    return file.toString();
  }

  private void addQuery(ArrayNode queries, String time, JsonNode pods) {
    String firing = "ALERTS{alertstate=\"firing\",alertname=\"%s\"}".formatted(alert);
    ObjectNode query = queries.addObject().put("eval_time", time);
    query.put("expr", "count by (pod) (" + firing + ")");
    ArrayNode expected = query.putArray("exp_samples");
    for (JsonNode pod : pods) {
      String labels = pod.asText().equals(NO_POD) ? "{}" : "{pod=\"%s\"}".formatted(pod.asText());
      expected.addObject().put("labels", labels).put("value", 1);
    }
  }

  /** Adds the texts of all pods that fire last; their summaries differ only in the pod. */
  private void addTexts(ObjectNode test, JsonNode rule) {
    Map.Entry<String, JsonNode> last =
        firing.properties().stream().reduce((before, after) -> after).orElseThrow();
    test.put("eval_time", last.getKey()).put("alertname", alert);
    String first = last.getValue().get(0).asText();
    ArrayNode alerts = test.putArray("exp_alerts");
    for (JsonNode pod : last.getValue()) {
      ObjectNode each = alerts.addObject();
      ObjectNode labels = each.putObject("exp_labels").put("pod", pod.asText());
      labels.put("namespace", "live").put("service", "gw-nodes");
      rule.get("labels")
          .properties()
          .forEach(label -> labels.set(label.getKey(), label.getValue()));
      ObjectNode texts = each.putObject("exp_annotations");
      texts.set("description", rule.at("/annotations/description"));
      texts.put("summary", summary.asText().replace(first, pod.asText()));
    }
  }

  /** Returns the name of the case in a report. */
  @Override
  public String toString() {
    return alert + ", when " + when;
  }
}
