package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Additional parts of the pod, and its DNS settings. */
class ExtraTest {
  private static final JsonNode POD = Chart.scenario("extra").pod();
  private static final JsonNode NODE = POD.at("/containers/0");

  private static JsonNode named(JsonNode list, String name) {
    return StreamSupport.stream(list.spliterator(), false)
        .filter(each -> each.get("name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldAddVariablesVolumesAndMountsToTheNode() {
    assertThat(named(NODE.get("env"), "REGION").get("value").asText()).isEqualTo("eu");
    assertThat(named(NODE.get("env"), "ZONE").at("/valueFrom/fieldRef/fieldPath").asText())
        .contains("topology.kubernetes.io/zone");
    assertThat(named(NODE.get("env"), "POD_IP").has("valueFrom")).isTrue();
    assertThat(named(NODE.get("volumeMounts"), "secrets").get("mountPath").asText())
        .isEqualTo("/mnt/secrets");
    assertThat(named(POD.get("volumes"), "secrets").at("/csi/driver").asText())
        .isEqualTo("secrets-store.csi.k8s.io");
    assertThat(named(POD.get("volumes"), "config").has("projected")).isTrue();
  }

  @Test
  void shouldAddContainers() {
    assertThat(NODE.get("name").asText()).as("the first container").isEqualTo("sluice");
    assertThat(named(POD.get("containers"), "tunnel").get("image").asText())
        .isEqualTo("registry.example.com/tunnel:1");
    assertThat(POD.get("initContainers")).hasSize(2);
    assertThat(named(POD.get("initContainers"), "proxy").get("restartPolicy").asText())
        .isEqualTo("Always");
  }

  @Test
  void shouldSetDnsAndHosts() {
    assertThat(POD.get("dnsPolicy").asText()).isEqualTo("None");
    assertThat(POD.at("/dnsConfig/nameservers/0").asText()).isEqualTo("10.0.0.10");
    assertThat(POD.at("/hostAliases/0/hostnames/0").asText()).isEqualTo("broker.internal");
  }

  @Test
  void shouldAddLabelsToAllObjectsButNotToSelectors() {
    Rendered rendered = Chart.with("commonLabels: {team: prices}");

    for (JsonNode each : Yaml.read(rendered.objects().toString())) {
      assertThat(each.at("/metadata/labels/team").asText()).as("%s", each).isEqualTo("prices");
    }
    assertThat(rendered.one("Deployment").at("/spec/template/metadata/labels/team").asText())
        .isEqualTo("prices");
    assertThat(rendered.one("Deployment").at("/spec/selector/matchLabels").has("team")).isFalse();
  }

  @Test
  void shouldRenderExtraObjects() {
    Rendered rendered =
        Chart.with(
            """
            extraObjects:
              - {apiVersion: v1, kind: Endpoints, metadata: {name: "{{ .Release.Name }}-a"}}
              - |
                apiVersion: v1
                kind: LimitRange
                metadata: {name: "{{ .Release.Name }}-b"}
            """);

    assertThat(rendered.one("Endpoints").at("/metadata/name").asText()).isEqualTo("gw-a");
    assertThat(rendered.one("LimitRange").at("/metadata/name").asText()).isEqualTo("gw-b");
  }

  @Test
  void shouldSetNamesAnnotationsAndTheClassOfTheLoadBalancer() {
    Rendered rendered =
        Chart.with(
            "{nameOverride: edge, deploymentAnnotations: {reload: 'true'},"
                + " service: {type: LoadBalancer, loadBalancerClass: example.com/nlb}}");
    JsonNode deployment = rendered.one("Deployment");

    assertThat(deployment.at("/metadata/name").asText()).isEqualTo("gw-edge");
    assertThat(deployment.at("/metadata/annotations/reload").asText()).isEqualTo("true");
    assertThat(deployment.at("/spec/selector/matchLabels/app.kubernetes.io~1name").asText())
        .isEqualTo("edge");
    assertThat(rendered.objects().toString()).contains("example.com/nlb");
  }

  @Test
  void shouldAddNothingByDefault() {
    JsonNode pod = Chart.with("{}").pod();

    for (String field : new String[] {"initContainers", "dnsPolicy", "dnsConfig", "hostAliases"}) {
      assertThat(pod.has(field)).as(field).isFalse();
    }
    assertThat(pod.get("containers")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "extraEnv: [{name: POD_IP, value: a}] | extraEnv",
        "extraEnv: [{value: a}] | extraEnv",
        "extraVolumeMounts: [{name: a, mountPath: /etc/sluice/x}] | extraVolumeMounts",
        "extraContainers: [{name: sluice, image: a}] | extraContainers",
        "initContainers: [{name: a}] | initContainers",
        "dnsPolicy: Cluster | dnsPolicy",
        "hostAliases: [{ip: 10.0.0.1}] | hostAliases"
      })
  void shouldRejectInvalidValues(String values, String key) {
    assertThatThrownBy(() -> Chart.with(values)).hasMessageContaining(key);
  }
}
