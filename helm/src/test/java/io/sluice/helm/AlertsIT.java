package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.testkit.CommandResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  /** One process tests all cases, because its start takes longer than they do. */
  @Test
  void shouldFireForNodesOfEachCaseOnly() throws Exception {
    List<Path> files = new ArrayList<>();
    for (AlertCase each : AlertCase.all()) {
      String name = "%d %s %s.yaml".formatted(files.size(), each.alert(), each.when());
      Path file = folder.resolve(name.replace('/', '-'));
      files.add(Files.writeString(file, each.text(RULES, alerts.get(each.alert()))));
    }

    CommandResult end = promtool.test(files);

    assertThat(end.code()).as(end.output()).isZero();
    assertThat(end.output().lines().filter(line -> line.strip().equals("SUCCESS")))
        .hasSameSizeAs(files);
  }

  @Test
  void shouldHaveFiringAndSilentCaseForEachAlert() {
    assertThat(names(AlertCase::fires)).isEqualTo(alerts.keySet());
    assertThat(names(AlertCase::isSilent)).isEqualTo(alerts.keySet());
  }

  private static Set<String> names(Predicate<AlertCase> filter) {
    return AlertCase.all().stream()
        .filter(filter)
        .map(AlertCase::alert)
        .collect(Collectors.toSet());
  }
}
