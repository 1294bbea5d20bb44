package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.CommandResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart's alerts, evaluated by promtool: when they fire, and when they do not. */
class AlertsIT {
  private static final String VALUES =
      "{prometheusRule: {enabled: true}, config: {limits: {per-node: {connections: 20000}}}}";
  private static final String RULES = "rules.yaml";

  @TempDir private static Path folder;
  private static Promtool promtool;
  private static Map<String, JsonNode> alerts;
  private static int ruleCount;

  @BeforeAll
  static void render() throws Exception {
    promtool = Promtool.provide();
    JsonNode spec = Chart.with(VALUES).one("PrometheusRule").get("spec");
    Files.writeString(folder.resolve(RULES), spec.toString());
    List<JsonNode> all =
        spec.get("groups")
            .valueStream()
            .flatMap(group -> group.get("rules").valueStream())
            .toList();
    ruleCount = all.size();
    alerts =
        all.stream()
            .filter(rule -> rule.has("alert"))
            .collect(Collectors.toMap(rule -> rule.get("alert").asText(), Function.identity()));
  }

  static List<AlertCase> cases() {
    return AlertCase.all();
  }

  @Test
  void shouldRenderValidRules() throws Exception {
    CommandResult end = promtool.check(folder.resolve(RULES));

    assertThat(end.code()).as(end.output()).isZero();
    assertThat(end.output()).contains("SUCCESS: " + ruleCount + " rules found");
  }

  @Test
  void shouldPrintValidRulesByScriptOfGuide() throws Exception {
    Path rules = folder.resolve("guide.yaml");
    String script = "cd .. && bash docs/how-to/monitoring/rules.sh >" + rules;
    CommandResult print = CommandResult.of(Map.of(), List.of("bash", "-c", script));

    assertThat(print.code()).as(print.output()).isZero();
    assertThat(promtool.check(rules).output()).contains("SUCCESS: " + ruleCount + " rules found");
  }

  @Test
  void shouldAcceptScrapeConfigurationOfGuide() throws Exception {
    CommandResult end =
        promtool.checkConfig(Path.of("..", "docs", "how-to", "monitoring", "prometheus.yml"));

    assertThat(end.code()).as(end.output()).isZero();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void shouldFireForNodesOfCaseOnly(AlertCase each) throws Exception {
    Path file = folder.resolve("case.yaml");
    Files.writeString(file, each.text(RULES, alerts.get(each.alert())));

    CommandResult end = promtool.test(file);

    assertThat(end.code()).as("%s\n%s", each, end.output()).isZero();
  }

  @Test
  void shouldHaveFiringAndSilentCaseForEachAlert() {
    assertThat(names(AlertCase::fires)).isEqualTo(alerts.keySet());
    assertThat(names(AlertCase::isSilent)).isEqualTo(alerts.keySet());
  }

  private static Set<String> names(Predicate<AlertCase> filter) {
    return cases().stream().filter(filter).map(AlertCase::alert).collect(Collectors.toSet());
  }
}
