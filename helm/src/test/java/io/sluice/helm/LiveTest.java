package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Templates that depend on a cluster, which a rendering does not have. A copy of the chart contains
 * the cluster's responses, and the notes of an installation as an object.
 */
class LiveTest {
  private static final String PASSTHROUGH =
      "{tls: {existingSecret: t}, gatewayApi:"
          + " {enabled: true, passthrough: true, parentRefs: [{name: g}], hostnames: [h]}}";
  private static final String GATEWAYS = "gateway.networking.k8s.io/";

  @TempDir private Path chart;

  @BeforeEach
  void copy() throws IOException {
    Chart.copyTo(chart);
  }

  @ParameterizedTest
  @CsvSource({
    "Deployment, {}",
    "StatefulSet, '{ingress: {enabled: true, hosts: [h]}, cluster: {enabled: true,"
        + " existingSecret: c, perPod: {enabled: true, host: \"{pod}.h.example.com\"}}}'",
  })
  void shouldKeepNumberOfRunningNodesWhenAutoscalingIsEnabled(String kind, String values) {
    Chart.replace(chart, "_helpers.tpl", Chart.LOOKUP, "dict \"spec\" (dict \"replicas\" 7)");
    String scaled =
        Yaml.merged(Yaml.read(values), Yaml.read("autoscaling: {enabled: true}")).toString();

    assertThat(Chart.with(chart, scaled).one(kind).at("/spec/replicas").asInt()).isEqualTo(7);
    assertThat(Chart.with(chart, values).one(kind).at("/spec/replicas").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "v1, v1",
    "v1alpha2, v1alpha2",
    "v1alpha3, v1alpha3",
    "v1alpha2 v1alpha3, v1alpha3",
    "v1 v1alpha2 v1alpha3, v1",
    "v2, v1",
  })
  void shouldUseNewestTlsRouteVersionOfCluster(String served, String version) {
    StringBuilder list = new StringBuilder("(list");
    for (String each : List.of(served.split(" "))) {
      list.append(" \"" + GATEWAYS + each + "/TLSRoute\"");
    }
    Chart.replace(chart, "route.yaml", ".Capabilities.APIVersions", list + ")");

    assertThat(Chart.with(chart, PASSTHROUGH).one("TLSRoute").get("apiVersion").asText())
        .isEqualTo(GATEWAYS + version);
  }

  @Test
  void shouldUseNewestTlsRouteVersionWithoutCluster() {
    assertThat(Chart.with(PASSTHROUGH).one("TLSRoute").get("apiVersion").asText())
        .isEqualTo(GATEWAYS + "v1");
  }

  private String notes(String values) throws IOException {
    Files.writeString(
        chart.resolve("templates/notes.yaml"),
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: notes}
        data: {text: {{ include (print .Template.BasePath "/NOTES.txt") . | toJson }}}
        """);
    return Chart.with(chart, values).one("ConfigMap", "notes").at("/data/text").asText();
  }

  @Test
  void shouldWarnAboutAnAdminPortReachableByAllPods() throws IOException {
    assertThat(notes("{}")).contains("read health", "read metrics");
    assertThat(notes("admin: {existingSecret: s}"))
        .contains("read health")
        .doesNotContain("metrics");
    assertThat(notes("networkPolicy: {enabled: true}")).doesNotContain("admin port");
  }
}
