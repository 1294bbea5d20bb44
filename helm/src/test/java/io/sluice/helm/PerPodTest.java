package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes with one address each (cluster.perPod). */
class PerPodTest {
  private static final List<String> HOSTS =
      List.of("gw-0.ws.example.com", "gw-1.ws.example.com", "gw-2.ws.example.com");
  private static final String POD_NAME = "statefulset.kubernetes.io/pod-name";

  private static Rendered ingress() {
    return Chart.scenario("per-pod");
  }

  private static Rendered routes() {
    return Chart.scenario("per-pod-routes");
  }

  @Test
  void shouldSetPublicUrlFromHost() {
    assertThat(ingress().config().at("/cluster/public-url").asText())
        .isEqualTo("wss://${POD_NAME}.ws.example.com/ws");
  }

  @Test
  void shouldPreferPublicUrlOfUser() {
    Rendered rendered =
        Chart.with(
            """
            ingress: {enabled: true, hosts: [h.example.com]}
            cluster:
              enabled: true
              existingSecret: c
              publicUrl: wss://${POD_NAME}.h.example.com:8443/ws
              perPod: {enabled: true, host: "{pod}.h.example.com"}
            """);

    assertThat(rendered.config().at("/cluster/public-url").asText())
        .isEqualTo("wss://${POD_NAME}.h.example.com:8443/ws");
  }

  @Test
  void shouldKeepPodNamesWithoutVolumes() {
    JsonNode set = ingress().one("StatefulSet").get("spec");

    assertThat(ingress().has("Deployment")).isFalse();
    assertThat(set.has("volumeClaimTemplates")).isFalse();
    assertThat(set.has("persistentVolumeClaimRetentionPolicy")).isFalse();
    assertThat(set.toString()).doesNotContain("/var/lib/sluice", "pod-template-hash");
  }

  @Test
  void shouldScaleTheStatefulSet() {
    JsonNode target = ingress().one("HorizontalPodAutoscaler").at("/spec/scaleTargetRef");

    assertThat(target.get("kind").asText()).isEqualTo("StatefulSet");
    assertThat(ingress().one("StatefulSet").at("/spec").has("replicas")).isFalse();
    assertThat(routes().one("StatefulSet").at("/spec/replicas").asInt()).isEqualTo(3);
  }

  @Test
  void shouldRenderServiceForEachPossiblePod() {
    assertThat(ingress().names("Service"))
        .containsExactlyInAnyOrder("gw", "gw-nodes", "gw-0", "gw-1", "gw-2", "gw-3");
    assertThat(routes().names("Service"))
        .containsExactlyInAnyOrder("gw", "gw-nodes", "gw-0", "gw-1", "gw-2");
  }

  @Test
  void shouldSelectOnePodWithPortsOfService() {
    JsonNode all = ingress().one("Service", "gw").get("spec");
    JsonNode one = ingress().one("Service", "gw-3").get("spec");
    ObjectNode selector = all.get("selector").deepCopy();

    assertThat(one.get("selector")).isEqualTo(selector.put(POD_NAME, "gw-3"));
    assertThat(one.get("ports")).isEqualTo(all.get("ports"));
  }

  /** Otherwise Prometheus would scrape each node twice. */
  @Test
  void shouldExcludePodServicesFromServiceMonitor() {
    JsonNode labels = ingress().one("Service", "gw-0").at("/metadata/labels");
    assertThat(labels.has("sluice/service")).isFalse();
  }

  @Test
  void shouldRouteEachHostToItsPod() {
    JsonNode rules = ingress().one("Ingress").at("/spec/rules");

    assertThat(rules.findValuesAsText("host"))
        .containsExactly(
            "gateway.example.com", HOSTS.get(0), HOSTS.get(1), HOSTS.get(2), "gw-3.ws.example.com");
    assertThat(rules.at("/0/http/paths/0/backend/service/name").asText()).isEqualTo("gw");
    assertThat(rules.at("/4/http/paths/0/backend/service/name").asText()).isEqualTo("gw-3");
    assertThat(rules.at("/4/http/paths/0/backend/service/port/name").asText()).isEqualTo("clients");
  }

  @Test
  void shouldRenderTlsForHostsOfPods() {
    JsonNode tls = ingress().one("Ingress").at("/spec/tls");

    assertThat(tls.findValuesAsText("secretName")).containsExactly("gateway-tls", "ws-tls");
    assertThat(tls.at("/1/hosts")).hasSize(4);
    assertThat(tls.at("/1/hosts/3").asText()).isEqualTo("gw-3.ws.example.com");
  }

  @Test
  void shouldRenderRouteForEachPod() {
    assertThat(routes().names("HTTPRoute")).containsExactlyInAnyOrder("gw", "gw-0", "gw-1", "gw-2");
    for (int i = 0; i < HOSTS.size(); i++) {
      JsonNode route = routes().one("HTTPRoute", "gw-" + i).get("spec");
      assertThat(route.at("/hostnames/0").asText()).isEqualTo(HOSTS.get(i));
      assertThat(route.at("/rules/0/backendRefs/0/name").asText()).isEqualTo("gw-" + i);
      assertThat(route.at("/rules/0/timeouts/request").asText()).isEqualTo("0s");
      assertThat(route.get("parentRefs"))
          .isEqualTo(routes().one("HTTPRoute", "gw").at("/spec/parentRefs"));
    }
  }

  @Test
  void shouldPassTlsThroughToEachPod() {
    Rendered rendered =
        Chart.with(
            """
            tls: {existingSecret: t}
            gatewayApi:
              {enabled: true, passthrough: true, parentRefs: [{name: g}], hostnames: [h.example.com]}
            cluster:
              enabled: true
              existingSecret: c
              perPod: {enabled: true, host: "{pod}.h.example.com"}
            """);

    assertThat(rendered.names("TLSRoute")).containsExactlyInAnyOrder("gw", "gw-0", "gw-1");
    assertThat(rendered.one("TLSRoute", "gw-1").at("/spec/hostnames/0").asText())
        .isEqualTo("gw-1.h.example.com");
  }

  @Test
  void shouldKeepVolumesOfDurableNodes() {
    Rendered rendered =
        Chart.with(
            """
            durable: {enabled: true, topics: [a]}
            ingress: {enabled: true, hosts: [h.example.com]}
            cluster:
              enabled: true
              existingSecret: c
              perPod: {enabled: true, host: "{pod}.h.example.com"}
            """);

    assertThat(rendered.one("StatefulSet").at("/spec/volumeClaimTemplates")).hasSize(1);
    assertThat(rendered.names("Service")).contains("gw-0", "gw-1");
  }
}
