package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Alerts, dashboard and autoscaling of the chart, compared with the metrics of a node. */
class MonitoringTest {
  private static final Path METRICS = Path.of("..", "docs", "operations", "metrics.md");
  private static final Path GUIDE = Path.of("..", "docs", "how-to", "monitoring.md");
  private static final Pattern ALERT = Pattern.compile("\\bSluice[A-Z]\\w+");
  private static final Pattern METRIC = Pattern.compile("\\b(?:sluice|process)_[a-z_]+");

  private static Set<String> names(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
  }

  private static Set<String> known() throws IOException {
    Set<String> known = names(METRIC, Files.readString(METRICS));
    known.add("process_cpu_usage"); // the page names process_cpu_*
    return known;
  }

  @Test
  void shouldUseExistingMetricsInAlerts() throws IOException {
    for (JsonNode alert : alerts()) {
      assertThat(known())
          .as(alert.get("alert").asText())
          .containsAll(names(METRIC, alert.get("expr").asText()));
    }
  }

  @Test
  void shouldUseExistingMetricsInDashboard() throws IOException {
    JsonNode dashboard = dashboard();
    List<String> expressions = dashboard.findValuesAsText("expr");

    assertThat(expressions).hasSizeGreaterThan(20);
    assertThat(known()).containsAll(names(METRIC, String.join("\n", expressions)));
  }

  @Test
  void shouldUseExistingMetricsForAutoscaling() throws IOException {
    JsonNode metrics =
        Chart.scenario("autoscaling").one("HorizontalPodAutoscaler").at("/spec/metrics");

    assertThat(metrics.findValuesAsText("name"))
        .contains("sluice_connections", "sluice_event_loop_lag_seconds_max", "cpu")
        .filteredOn(name -> !name.equals("cpu"))
        .isSubsetOf(known());
  }

  @Test
  void shouldDescribeRemedyOfEachAlert() {
    for (JsonNode alert : allAlerts()) {
      String name = alert.get("alert").asText();
      assertThat(alert.at("/annotations/summary").asText()).as(name).endsWith(".");
      assertThat(alert.at("/annotations/description").asText()).as(name).hasSizeGreaterThan(40);
      assertThat(alert.at("/labels/severity").asText()).as(name).isIn("warning", "critical");
    }
  }

  @Test
  void shouldNameExistingAlertsAndMetricsInGuide() throws IOException {
    String guide = Files.readString(GUIDE);
    Set<String> thresholds =
        names(
            ALERT, guide.lines().filter(line -> line.contains("thresholds")).findAny().orElse(""));

    assertThat(named("warning")).hasSizeGreaterThan(thresholds.size()).containsAll(thresholds);
    assertThat(thresholds).isNotEmpty();
    assertThat(known()).containsAll(names(METRIC, guide.replace("_bucket", "")));
  }

  private static Set<String> named(String severity) {
    return allAlerts().stream()
        .filter(alert -> alert.at("/labels/severity").asText().equals(severity))
        .map(alert -> alert.get("alert").asText())
        .collect(Collectors.toSet());
  }

  @Test
  void shouldAlertForNodesAndConnectionLimitOfRelease() {
    JsonNode alerts = Chart.scenario("monitoring").one("PrometheusRule").at("/spec/groups/0/rules");
    String limit =
        StreamSupport.stream(alerts.spliterator(), false)
            .filter(alert -> alert.get("alert").asText().equals("SluiceConnectionsNearLimit"))
            .findFirst()
            .orElseThrow()
            .get("expr")
            .asText();

    assertThat(limit)
        .isEqualTo("sluice_connections{namespace=\"live\",service=\"gw-nodes\"} > 0.8 * 20000");
  }

  @Test
  void shouldLeaveOutAlertsAndAddLabels() {
    JsonNode alerts = Chart.scenario("monitoring").one("PrometheusRule").at("/spec/groups/0/rules");

    assertThat(alerts).hasSize(alerts().size() - 1);
    assertThat(alerts.findValuesAsText("alert")).doesNotContain("SluiceLimitsReached");
    assertThat(alerts.findValuesAsText("team")).containsOnly("realtime").hasSize(alerts.size());
  }

  @Test
  void shouldReadTheMetricsWithTheToken() {
    JsonNode endpoint = Chart.scenario("hardened").one("ServiceMonitor").at("/spec/endpoints/0");

    assertThat(endpoint.at("/authorization/credentials/name").asText()).isEqualTo("admin");
    assertThat(endpoint.get("scheme").asText()).isEqualTo("https");
    assertThat(endpoint.at("/tlsConfig/serverName").asText()).isEqualTo("admin.sluice.internal");
  }

  /** Prometheus sends the whole value; the nodes' secret may contain several tokens. */
  @Test
  void shouldReadMetricsWithSeparateToken() {
    assertThat(credentials("")).isEqualTo("admin/token");
    assertThat(credentials(", tokenKey: prometheus")).isEqualTo("admin/prometheus");
    assertThat(credentials(", existingSecret: scrape")).isEqualTo("scrape/token");
    assertThat(credentials(", existingSecret: scrape, tokenKey: t")).isEqualTo("scrape/t");

    assertThat(endpoint("serviceMonitor: {enabled: true}").has("authorization")).isFalse();
  }

  private static String credentials(String more) {
    JsonNode named =
        endpoint("{admin: {existingSecret: admin}, serviceMonitor: {enabled: true%s}}", more)
            .at("/authorization/credentials");
    return named.get("name").asText() + "/" + named.get("key").asText();
  }

  private static JsonNode endpoint(String values, Object... more) {
    return Chart.with(values.formatted(more)).one("ServiceMonitor").at("/spec/endpoints/0");
  }

  @Test
  void shouldReadEachNodeOnce() {
    Rendered rendered = Chart.scenario("monitoring");
    JsonNode selector = rendered.one("ServiceMonitor").at("/spec/selector/matchLabels");

    assertThat(labels(rendered, "gw-nodes")).containsAll(selector.properties());
    assertThat(labels(rendered, "gw").containsAll(selector.properties())).isFalse();
  }

  private static Set<Map.Entry<String, JsonNode>> labels(Rendered rendered, String service) {
    return rendered.one("Service", service).at("/metadata/labels").properties();
  }

  private static List<JsonNode> allAlerts() {
    JsonNode objectives = Yaml.read(Chart.FOLDER.resolve("files/slo.yaml"));
    return Stream.concat(alerts().valueStream(), objectives.valueStream())
        .filter(rule -> rule.has("alert"))
        .toList();
  }

  @Test
  void shouldAlertForObjectiveOfRelease() {
    String values =
        "{prometheusRule: {enabled: true, slo: {objective: 99.5, latency: 0.25},"
            + " without: [SluiceLatencyBudgetBurnsSlowly]}}";
    JsonNode rules = Chart.with(values).one("PrometheusRule").at("/spec/groups/1/rules");

    assertThat(rules.findValuesAsText("alert")).containsExactly("SluiceLatencyBudgetBurnsFast");
    assertThat(rules.get(0).get("expr").asText()).contains("le=~\"0.25|0.25.0\"");
    assertThat(rules.findValuesAsText("expr"))
        .last()
        .asString()
        .contains("> 14.4 * (1 - 99.5 / 100)")
        .doesNotContain("@");
  }

  private static JsonNode alerts() {
    return Yaml.read(Chart.FOLDER.resolve("files/alerts.yaml"));
  }

  private static JsonNode dashboard() {
    String text =
        Chart.scenario("monitoring")
            .one("ConfigMap", "gw-dashboard")
            .at("/data/sluice.json")
            .asText();
    return Yaml.read(text);
  }
}
