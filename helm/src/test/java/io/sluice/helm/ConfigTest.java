package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The configuration file of the nodes. */
class ConfigTest {
  private static final Path KEYS = Path.of("..", "docs", "CONFIGURATION.md");

  static List<Path> scenarios() {
    return Chart.scenarios();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldContainOnlyKeysOfTheGateway(Path scenario) throws IOException {
    Set<String> known =
        Pattern.compile("^- `([a-z.-]+)` \\(", Pattern.MULTILINE)
            .matcher(Files.readString(KEYS))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toSet());

    assertThat(keys("", Chart.render(scenario).config())).isSubsetOf(known);
  }

  private static List<String> keys(String path, JsonNode tree) {
    List<String> keys = new ArrayList<>();
    for (Map.Entry<String, JsonNode> member : tree.properties()) {
      String key = path + member.getKey();
      if (member.getValue().isObject()) {
        keys.addAll(keys(key + ".", member.getValue()));
      } else {
        keys.add(key);
      }
    }
    return keys;
  }

  @Test
  void shouldContainConfigOfUser() {
    JsonNode config =
        Chart.with("config: {server: {compression: false}, subscribe: {topics: ['a.>']}}").config();

    assertThat(config.at("/server/compression").asBoolean(true)).isFalse();
    assertThat(config.at("/server/port").asInt()).isEqualTo(8080);
    assertThat(config.at("/subscribe/topics/0").asText()).isEqualTo("a.>");
  }

  @Test
  void shouldNameANodeAfterItsPod() {
    assertThat(Chart.with("{}").config().at("/node/name").asText()).isEqualTo("${POD_NAME}");
  }

  @Test
  void shouldOpenMetricsOnlyWithoutAToken() {
    assertThat(Chart.with("{}").config().at("/admin/metrics-open").asBoolean()).isTrue();

    JsonNode admin = Chart.with("admin: {existingSecret: s, tokenKey: t}").config().get("admin");
    assertThat(admin.has("metrics-open")).isFalse();
    assertThat(admin.get("token-file").asText()).isEqualTo("/etc/sluice/admin/t");
  }

  /** A node requires its name and its journal to delete its durable subscriptions. */
  @Test
  void shouldKeepNameAndJournalAfterDurableTopicsAreRemoved() {
    JsonNode before = Chart.scenario("statefulset-durable").config();
    JsonNode removed = Chart.scenario("durable-removed").config();

    assertThat(removed.at("/broker/durable").isArray()).isTrue();
    assertThat(removed.at("/broker/durable")).isEmpty();
    assertThat(removed.at("/broker/client-id")).isEqualTo(before.at("/broker/client-id"));
    assertThat(removed.at("/journal/folder")).isEqualTo(before.at("/journal/folder"));
  }

  @Test
  void shouldOmitClusterKeysWithoutCluster() {
    assertThat(Chart.with("{}").config().has("cluster")).isFalse();
  }

  @Test
  void shouldFindNodesByTheHeadlessService() {
    JsonNode cluster = Chart.scenario("cluster-secret").config().get("cluster");

    assertThat(cluster.has("nodes")).isFalse();
    assertThat(cluster.get("dns").asText()).isEqualTo("gw-nodes.live.svc.cluster.local");
    assertThat(cluster.get("secret-file").asText()).isEqualTo("/etc/sluice/cluster/secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "config: {server: {port: 1}} | config: server.port is set by the chart",
        "config: {timeouts: {drain: 1h}} | config: timeouts.drain is set by the chart",
        "config: {admin: {host: h}} | config: admin.host is set by the chart",
        "config: {server.port: 1} | config: server.port has a dot",
        "tls: {existingSecret: s, clientCaSecret: c} | tls.clientCaSecret: has no effect",
        "{tls: {existingSecret: s}, gatewayApi: {enabled: true, passthrough: true, parentRefs:"
            + " [{name: g}]}} | gatewayApi.hostnames: is empty",
        "broker: {url: ''} | broker.url: is missing",
        "broker: {password: secret} | password",
        "tls: {clientAuth: required} | tls.clientAuth: needs tls.existingSecret",
        "cluster: {enabled: true} | cluster.enabled: needs exactly one of",
        "cluster: {enabled: true, existingSecret: a, tlsSecret: b} | needs exactly one of",
        "cluster: {perPod: {enabled: true, host: '{pod}.h.example.com'}}"
            + " | cluster.perPod.enabled: needs cluster.enabled",
        "cluster: {enabled: true, existingSecret: a, perPod: {enabled: true}}"
            + " | cluster.perPod.host: is empty",
        "cluster: {enabled: true, existingSecret: a, perPod: {enabled: true, host:"
            + " '{pod}.h.example.com'}} | cluster.perPod.enabled: needs ingress.enabled or"
            + " gatewayApi.enabled",
        "cluster: {perPod: {tlsSecret: s}} | cluster.perPod.tlsSecret: needs"
            + " cluster.perPod.enabled",
        "cluster: {perPod: {host: ws.example.com}} | host",
        "links: {port: 9443} | links.port: needs links.tlsSecret",
        "networkPolicy: {links: [{podSelector: {}}]} | networkPolicy.links: has no effect",
        "{links: {port: 9443, tlsSecret: s}, config: {links: {port: 1}}} | config: links.port is"
            + " set by the chart",
        "durable: {topics: [a]} | durable.topics: needs durable.enabled",
        "{durable: {enabled: true, topics: [a]}, autoscaling: {enabled: true}} |"
            + " autoscaling.enabled: is not allowed with",
        "ingress: {enabled: true} | ingress.hosts: is empty",
        "gatewayApi: {enabled: true} | gatewayApi.parentRefs: is empty",
        "gatewayApi: {passthrough: true} | gatewayApi.passthrough: needs tls.existingSecret",
        "mounts: [{name: m, path: /m}] | mounts: m needs exactly one of secret, configMap and"
            + " claim",
        "mounts: [{name: m, secret: s, claim: c, path: /m}] | mounts: m needs exactly one of",
        "mounts: [{name: m, secret: s, path: /etc/sluice/m}] | path",
        "serviceMonitor: {existingSecret: s} | serviceMonitor.existingSecret: has no effect",
        "image: {digest: 'sha256:1'} | digest",
        "replicaCount: two | replicaCount",
        "image: {repo: x} | repo",
      })
  void shouldReject(String values, String problem) {
    assertThatThrownBy(() -> Chart.with(values)).hasMessageContaining(problem);
  }
}
