package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods of the nodes, and their Deployment or StatefulSet. */
class PodTest {
  static List<Path> scenarios() {
    return Chart.scenarios();
  }

  private static List<String> texts(JsonNode list, String pointer) {
    return StreamSupport.stream(list.spliterator(), false)
        .map(each -> each.at(pointer).asText())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldRunWithoutPrivileges(Path scenario) {
    JsonNode pod = Chart.render(scenario).pod();
    JsonNode container = pod.at("/containers/0/securityContext");

    assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isNotEqualTo("Unconfined");
    assertThat(pod.get("automountServiceAccountToken").asBoolean(true)).isFalse();
    assertThat(container.get("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(container.get("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(container.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldRenderNoRoleOrSecret(Path scenario) {
    assertThat(texts(Yaml.read(Chart.render(scenario).objects().toString()), "/kind"))
        .isNotEmpty()
        .noneMatch(kind -> kind.contains("Role"))
        .doesNotContain("Secret");
  }

  @Test
  void shouldLimitConcurrentDisruptions() {
    JsonNode budget = Chart.with("{}").one("PodDisruptionBudget").get("spec");
    assertThat(budget.get("maxUnavailable").asInt()).isEqualTo(1);
    assertThat(budget.at("/selector/matchLabels"))
        .isEqualTo(Chart.with("{}").one("Deployment").at("/spec/selector/matchLabels"));

    assertThat(Chart.with("podDisruptionBudget: {enabled: false}").has("PodDisruptionBudget"))
        .isFalse();
  }

  @Test
  void shouldAllowTimeToDrainInGracePeriod() {
    Rendered rendered =
        Chart.with(
            "drain: {timeoutSeconds: 120, preStopSeconds: 7, closeSeconds: 20, marginSeconds: 3}");

    assertThat(rendered.config().at("/timeouts/drain").asText()).isEqualTo("120s");
    assertThat(rendered.container().at("/lifecycle/preStop/sleep/seconds").asInt()).isEqualTo(7);
    assertThat(rendered.pod().get("terminationGracePeriodSeconds").asInt()).isEqualTo(150);
  }

  @Test
  void shouldSurgeByOneNodeInUpdate() {
    JsonNode update = Chart.with("{}").one("Deployment").at("/spec/strategy/rollingUpdate");

    assertThat(update.get("maxSurge").asInt()).isEqualTo(1);
    assertThat(update.get("maxUnavailable").asInt(-1)).isZero();
  }

  /** A Deployment does not wait for terminating pods. */
  @Test
  void shouldReplaceNodeAfterPreviousHasDrained() {
    String drain = "drain: {timeoutSeconds: 120, preStopSeconds: 7, closeSeconds: 20}";
    JsonNode slow = Chart.with(drain).one("Deployment").get("spec");
    assertThat(slow.get("minReadySeconds").asInt()).isEqualTo(147);
    assertThat(slow.get("progressDeadlineSeconds").asInt()).isEqualTo(747);

    JsonNode patient = Chart.with("minReadySeconds: 300").one("Deployment").get("spec");
    assertThat(patient.get("minReadySeconds").asInt()).isEqualTo(300);
    assertThat(patient.get("progressDeadlineSeconds").asInt()).isEqualTo(900);

    JsonNode set = Chart.scenario("statefulset-durable").one("StatefulSet").get("spec");
    assertThat(set.get("minReadySeconds").asInt()).isEqualTo(20);
    assertThat(set.has("progressDeadlineSeconds")).isFalse();
  }

  @Test
  void shouldReplacePodsAfterConfigurationChange() {
    String pointer = "/spec/template/metadata/annotations/checksum~1config";
    String before = Chart.with("{}").one("Deployment").at(pointer).asText();
    String after =
        Chart.with("config: {log: {level: debug}}").one("Deployment").at(pointer).asText();

    assertThat(before).hasSize(64).isNotEqualTo(after);
  }

  @Test
  void shouldProbeHealthWithoutToken() {
    JsonNode container = Chart.with("admin: {existingSecret: s}").container();

    assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health/live");
    assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/health/ready");
    assertThat(container.at("/readinessProbe/httpGet/port").asText()).isEqualTo("admin");
    assertThat(container.at("/readinessProbe/httpGet/scheme").asText()).isEqualTo("HTTP");
  }

  @Test
  void shouldProbeByTlsIfAdminPortUsesIt() {
    JsonNode container = Chart.with("admin: {tlsSecret: s}").container();

    assertThat(container.at("/startupProbe/httpGet/scheme").asText()).isEqualTo("HTTPS");
  }

  @Test
  void shouldHaveStableNameAndVolumeForDurableTopics() {
    Rendered rendered = Chart.scenario("statefulset-durable");
    JsonNode set = rendered.one("StatefulSet").get("spec");

    assertThat(rendered.has("Deployment")).isFalse();
    assertThat(set.get("serviceName").asText()).isEqualTo("gw-nodes");
    assertThat(set.at("/volumeClaimTemplates/0/metadata/name").asText()).isEqualTo("journal");
    assertThat(rendered.config().at("/broker/client-id").asText())
        .isEqualTo("${POD_NAMESPACE}-${POD_NAME}");
    assertThat(texts(rendered.container().get("volumeMounts"), "/mountPath"))
        .contains("/var/lib/sluice");
  }

  @Test
  void shouldSpreadNodesAndCountOnlyThoseOfTheSameRevision() {
    JsonNode constraints = Chart.with("{}").pod().get("topologySpreadConstraints");

    assertThat(texts(constraints, "/topologyKey"))
        .containsExactly("topology.kubernetes.io/zone", "kubernetes.io/hostname");
    assertThat(texts(constraints, "/matchLabelKeys/0")).containsOnly("pod-template-hash");
    assertThat(texts(constraints, "/labelSelector/matchLabels/app.kubernetes.io~1instance"))
        .containsOnly("gw");
  }

  @Test
  void shouldMountSecretsAtPathsOfConfiguration() {
    Rendered rendered = Chart.scenario("mtls");
    JsonNode sources = rendered.pod().at("/volumes/0/projected/sources");
    List<String> files =
        StreamSupport.stream(sources.spliterator(), false)
            .flatMap(source -> texts(source.at("/secret/items"), "/path").stream())
            .map(path -> "/etc/sluice/" + path)
            .toList();

    JsonNode tls = rendered.config().at("/server/tls");
    JsonNode cluster = rendered.config().at("/cluster/tls");
    assertThat(files)
        .contains(
            tls.get("certificate").asText(),
            tls.get("key").asText(),
            tls.get("client-ca").asText(),
            tls.get("client-crl").asText(),
            cluster.get("certificate").asText(),
            cluster.get("key").asText(),
            cluster.get("ca").asText());
  }

  @Test
  void shouldTakeVariablesFromSecrets() {
    JsonNode variables = Chart.scenario("jwt").container().get("env");

    assertThat(texts(variables, "/name")).contains("INTROSPECTION_SECRET");
    assertThat(texts(variables, "/valueFrom/secretKeyRef/name")).contains("issuer");
  }

  @Test
  void shouldMountVolumeClaim() {
    Rendered rendered = Chart.scenario("jars");
    JsonNode volumes = rendered.pod().get("volumes");
    JsonNode claim = volumes.get(volumes.size() - 1).get("persistentVolumeClaim");
    JsonNode mounts = rendered.container().get("volumeMounts");

    assertThat(claim.get("claimName").asText()).isEqualTo("broker-jars");
    assertThat(claim.get("readOnly").asBoolean()).isTrue();
    assertThat(texts(mounts, "/mountPath")).contains(rendered.config().at("/broker/jars").asText());
    assertThat(mounts.get(mounts.size() - 1).get("readOnly").asBoolean()).isTrue();
  }

  /** OpenShift admits pods that leave their ids to it. */
  @Test
  void shouldOmitIdsThatAreNull() {
    Rendered rendered = Chart.scenario("openshift");

    for (JsonNode pod : List.of(rendered.pod(), rendered.one("Pod").get("spec"))) {
      JsonNode context = pod.get("securityContext");
      assertThat(context.propertyStream().map(Map.Entry::getKey))
          .containsExactlyInAnyOrder("runAsNonRoot", "fsGroupChangePolicy", "seccompProfile");
      assertThat(pod.at("/containers/0/securityContext").has("runAsUser")).isFalse();
    }
    assertThat(Chart.with("{}").pod().at("/securityContext/runAsUser").asInt()).isEqualTo(65532);
  }

  @Test
  void shouldUseTheDigestInsteadOfTheTag() {
    String digest = "sha256:" + "0a".repeat(32);

    assertThat(Chart.with("image: {tag: v1, digest: '" + digest + "'}").container().get("image"))
        .hasToString("\"sluice@" + digest + "\"");
  }

  @Test
  void shouldChangeSingleSettingsOfProbes() {
    JsonNode node =
        Chart.with("{livenessProbe: {timeoutSeconds: 9}, startupProbe: {failureThreshold: 300}}")
            .container();

    assertThat(node.at("/livenessProbe/timeoutSeconds").asInt()).isEqualTo(9);
    assertThat(node.at("/livenessProbe/periodSeconds").asInt()).isEqualTo(10);
    assertThat(node.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health/live");
    assertThat(node.at("/startupProbe/failureThreshold").asInt()).isEqualTo(300);
  }

  @Test
  void shouldSetSysctlsOfNodesOnly() {
    Rendered rendered = Chart.scenario("autoscaling");
    JsonNode settings = rendered.pod().at("/securityContext/sysctls");

    assertThat(texts(settings, "/name")).containsExactly("net.ipv4.tcp_rmem");
    assertThat(texts(settings, "/value")).containsExactly("4096 4096 262144");
    assertThat(rendered.one("Pod").at("/spec/securityContext").has("sysctls")).isFalse();
    assertThat(Chart.with("{}").pod().get("securityContext").has("sysctls")).isFalse();
  }

  @Test
  void shouldNotScaleUpAfterOnePause() {
    String pointer = "/spec/behavior/scaleUp/stabilizationWindowSeconds";
    JsonNode scaler = Chart.scenario("autoscaling").one("HorizontalPodAutoscaler");
    assertThat(scaler.at(pointer).asInt()).isEqualTo(120);

    String values = "autoscaling: {enabled: true, scaleUpAfterSeconds: 0}";
    assertThat(Chart.with(values).one("HorizontalPodAutoscaler").at(pointer).asInt(-1)).isZero();
  }

  @Test
  void shouldOmitReplicasWithAutoscaling() {
    Rendered rendered = Chart.scenario("autoscaling");

    assertThat(rendered.one("Deployment").at("/spec/replicas").isMissingNode()).isTrue();
    assertThat(rendered.one("HorizontalPodAutoscaler").at("/spec/scaleTargetRef/name").asText())
        .isEqualTo("gw");
  }

  /** Helm reads numbers as floating point and would render 1e+06. */
  @Test
  void shouldWriteLargeNumbersInFull() {
    Rendered rendered =
        Chart.with(
            "{podSecurityContext: {runAsUser: 1000660000}, config: {limits: {per-node: {connections: 2000000}}},"
                + " autoscaling: {enabled: true, connections: 1000000}}");

    assertThat(rendered.pod().at("/securityContext/runAsUser").isIntegralNumber()).isTrue();
    assertThat(rendered.config().at("/limits/per-node/connections").toString())
        .isEqualTo("2000000");
    assertThat(
            rendered
                .one("HorizontalPodAutoscaler")
                .at("/spec/metrics/0/pods/target/averageValue")
                .asText())
        .isEqualTo("1000000");
  }

  @Test
  void shouldHaveVersionOfProject() throws IOException {
    String project = Files.readString(Path.of("..", "pom.xml"));
    String version = Yaml.read(Chart.FOLDER.resolve("Chart.yaml")).get("appVersion").asText();

    assertThat(project).containsPattern("<version>" + version + "(-SNAPSHOT)?</version>");
  }

  @Test
  void shouldUseVersionOfChartAsImageTag() {
    assertThat(Chart.with("{}").container().get("image").asText()).isEqualTo("sluice:0.1.0");
    assertThat(Chart.with("image: {repository: r/s, tag: t}").container().get("image").asText())
        .isEqualTo("r/s:t");
  }
}
