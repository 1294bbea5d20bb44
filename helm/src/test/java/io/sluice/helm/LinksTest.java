package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links to other nodes: roots, leaves, and both sides of a DMZ. */
class LinksTest {
  private static List<String> ports(JsonNode service) {
    return StreamSupport.stream(service.at("/spec/ports").spliterator(), false)
        .map(port -> port.get("targetPort").asText())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"links-root", "links-outer"})
  void shouldReachThePortOnlyOverItsServices(String scenario) {
    Rendered rendered = Chart.scenario(scenario);

    assertThat(rendered.names("Service"))
        .allSatisfy(
            name ->
                assertThat(ports(rendered.one("Service", name)).contains("links"))
                    .as(name)
                    .isEqualTo(name.endsWith("-links")));
    assertThat(rendered.one("Ingress").toString()).doesNotContain("links", "9443");
  }

  @Test
  void shouldServeLeavesOverOneService() {
    Rendered root = Chart.scenario("links-root");

    assertThat(root.names("Service")).containsExactlyInAnyOrder("gw", "gw-nodes", "gw-links");
    JsonNode service = root.one("Service", "gw-links").get("spec");
    assertThat(service.get("selector")).isEqualTo(root.one("Service", "gw").at("/spec/selector"));
    assertThat(service.has("publishNotReadyAddresses")).isFalse();
    assertThat(root.config().at("/links/port").asInt()).isEqualTo(9443);
    assertThat(root.config().at("/links/host").asText()).isEqualTo("${POD_IP}");
    assertThat(root.config().at("/links/subscribe/0").asText()).isEqualTo("stocks.>");
  }

  @Test
  void shouldConnectALeafWithoutABroker() {
    Rendered leaf = Chart.scenario("links-leaf");

    assertThat(leaf.config().has("broker")).isFalse();
    assertThat(leaf.config().at("/links").has("port")).isFalse();
    assertThat(leaf.config().at("/links/certificate").asText())
        .isEqualTo("/etc/sluice/links/tls.crt");
    assertThat(leaf.names("Service")).containsExactlyInAnyOrder("gw", "gw-nodes");
    assertThat(leaf.pod().at("/volumes/0").toString())
        .contains("leaf-links", "links/tls.crt", "links/tls.key", "links/ca.crt");
  }

  /** An inner node opens a link to each outer one, which is not ready without it. */
  @Test
  void shouldGiveEachOuterNodeAnAddressForInnerNodes() {
    Rendered outer = Chart.scenario("links-outer");

    assertThat(outer.has("StatefulSet")).isTrue();
    assertThat(outer.names("Service"))
        .containsExactlyInAnyOrder("gw", "gw-nodes", "gw-0-links", "gw-1-links");
    JsonNode second = outer.one("Service", "gw-1-links");
    assertThat(second.at("/spec/selector/statefulset.kubernetes.io~1pod-name").asText())
        .isEqualTo("gw-1");
    assertThat(second.at("/spec/publishNotReadyAddresses").asBoolean()).isTrue();
    assertThat(second.at("/spec/type").asText()).isEqualTo("LoadBalancer");
    assertThat(second.at("/metadata/annotations")).hasSize(1);
    assertThat(outer.one("Service", "gw").at("/spec/type").asText()).isEqualTo("ClusterIP");
  }

  @Test
  void shouldOpenNoPortAtAnInnerNode() {
    Rendered inner = Chart.scenario("links-inner");

    assertThat(inner.config().at("/links").has("port")).isFalse();
    assertThat(inner.container().get("ports").findValuesAsText("name"))
        .containsExactly("clients", "admin");
    assertThat(inner.names("Service")).noneMatch(name -> name.endsWith("-links"));
    assertThat(inner.one("NetworkPolicy").at("/spec/ingress").toString()).doesNotContain("links");
    assertThat(inner.one("NetworkPolicy").at("/spec/egress").toString()).contains("9443");
  }

  @Test
  void shouldAllowOnlyNamedPeersAtThePort() {
    JsonNode ingress = Chart.scenario("links-outer").one("NetworkPolicy").at("/spec/ingress");
    JsonNode links = ingress.get(ingress.size() - 1);

    assertThat(links.at("/ports/0/port").asText()).isEqualTo("links");
    assertThat(links.get("ports")).hasSize(1);
    assertThat(links.at("/from/0/ipBlock/cidr").asText()).isEqualTo("10.1.0.0/16");

    String open = "{links: {port: 9443, tlsSecret: s}, networkPolicy: {enabled: true}}";
    assertThat(Chart.with(open).one("NetworkPolicy").at("/spec/ingress").toString())
        .doesNotContain("links");
  }
}
