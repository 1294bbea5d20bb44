package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** Services, routes and network policies of the nodes. */
class NetworkTest {
  private static final String COMPONENT = "/app.kubernetes.io~1component";

  @Test
  void shouldSelectOnlyNodesInService() {
    Rendered rendered = Chart.with("{}");
    JsonNode service = rendered.one("Service", "gw").get("spec");

    assertThat(service.at("/selector" + COMPONENT).asText()).isEqualTo("node");
    assertThat(rendered.one("Pod").at("/metadata/labels" + COMPONENT).asText()).isEqualTo("test");
    assertThat(service.at("/ports/0/appProtocol").asText()).isEqualTo("kubernetes.io/ws");
    assertThat(service.get("ports")).hasSize(1);
  }

  @Test
  void shouldFindNodesThatAreNotReady() {
    JsonNode nodes = Chart.with("{}").one("Service", "gw-nodes").get("spec");

    assertThat(nodes.get("clusterIP").asText()).isEqualTo("None");
    assertThat(nodes.get("publishNotReadyAddresses").asBoolean()).isTrue();
  }

  @Test
  void shouldRouteToThePortOfTheService() {
    JsonNode backend =
        Chart.scenario("ingress-tls")
            .one("Ingress")
            .at("/spec/rules/0/http/paths/0/backend/service");
    assertThat(backend.get("name").asText()).isEqualTo("gw");
    assertThat(backend.at("/port/name").asText()).isEqualTo("clients");

    JsonNode rule = Chart.scenario("gateway-api").one("HTTPRoute").at("/spec/rules/0");
    assertThat(rule.at("/backendRefs/0/port").asInt()).isEqualTo(8080);
    assertThat(rule.at("/timeouts/request").asText()).isEqualTo("0s");
  }

  @Test
  void shouldPassTlsThroughToNodes() {
    Rendered rendered = Chart.scenario("mtls");

    assertThat(rendered.has("HTTPRoute")).isFalse();
    assertThat(rendered.one("TLSRoute").at("/spec/hostnames/0").asText())
        .isEqualTo("gateway.example.com");
  }

  @Test
  void shouldAllowOnlyNodesAtClusterPort() {
    JsonNode ingress = Chart.scenario("cluster-secret").one("NetworkPolicy").at("/spec/ingress");

    JsonNode cluster = last(ingress);
    assertThat(cluster.at("/ports/0/port").asText()).isEqualTo("cluster");
    assertThat(cluster.get("from")).hasSize(1);
    assertThat(cluster.at("/from/0/podSelector/matchLabels" + COMPONENT).asText())
        .isEqualTo("node");
  }

  @Test
  void shouldAllowNodesAtAdminPortWithAdminUrl() {
    Rendered telling = Chart.scenario("cluster-secret");
    JsonNode in = last(telling.one("NetworkPolicy").at("/spec/ingress"));
    JsonNode out = last(telling.one("NetworkPolicy").at("/spec/egress"));
    assertThat(in.get("ports").findValuesAsText("port")).containsExactly("cluster", "admin");
    assertThat(out.get("ports").findValuesAsText("port")).containsExactly("7800", "9090");

    JsonNode silent =
        Chart.with("{cluster: {enabled: true, existingSecret: c}, networkPolicy: {enabled: true}}")
            .one("NetworkPolicy");
    assertThat(last(silent.at("/spec/ingress")).get("ports")).hasSize(1);
    assertThat(last(silent.at("/spec/egress")).get("ports")).hasSize(1);
  }

  private static JsonNode last(JsonNode rules) {
    return rules.get(rules.size() - 1);
  }

  @Test
  void shouldAllowOnlyClientsAndTestAtClientPort() {
    JsonNode ingress = Chart.scenario("hardened").one("NetworkPolicy").at("/spec/ingress");

    assertThat(ingress).hasSize(2);
    assertThat(ingress.at("/0/ports/0/port").asText()).isEqualTo("clients");
    assertThat(ingress.at("/0/from")).hasSize(2);
    assertThat(ingress.at("/0/from/1/podSelector/matchLabels" + COMPONENT).asText())
        .isEqualTo("test");
    assertThat(ingress.at("/1/ports/0/port").asText()).isEqualTo("admin");
  }

  @Test
  void shouldAllowOnlyDnsBrokerIssuerAndFurtherPeersOutgoing() {
    JsonNode egress = Chart.scenario("hardened").one("NetworkPolicy").at("/spec/egress");

    assertThat(egress).hasSize(4);
    assertThat(egress.at("/0/ports/0/port").asInt()).isEqualTo(53);
    assertThat(egress.at("/1/ports/0/port").asInt()).isEqualTo(61616);
    assertThat(egress.at("/2/ports/0/port").asInt()).isEqualTo(443);
    assertThat(egress.at("/3/ports/0/port").asInt()).isEqualTo(9090);
  }

  @Test
  void shouldSubscribeInTheTestAsAClientDoes() {
    JsonNode arguments = Chart.scenario("hardened").one("Pod").at("/spec/containers/0/args");

    assertThat(arguments.toString())
        .contains("probe", "ws://gw.live.svc:8080/ws", "/test/token/token");
  }
}
