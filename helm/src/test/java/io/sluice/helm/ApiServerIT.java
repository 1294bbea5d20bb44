package io.sluice.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.InstallCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart, installed at a Kubernetes API server that Go builds: profile apiserver. */
@Tag("apiserver")
class ApiServerIT {
  private static final String NAMESPACE = "live";
  private static final Path PROGRAMS = Path.of("target", "apiserver").toAbsolutePath();
  private static final Path SCRIPT = Path.of("src", "test", "scripts", "build-apiserver.sh");

  @TempDir private static Path folder;
  private static ApiServer server;
  private static Path kubeConfig;

  static List<Path> scenarios() {
    return Chart.scenarios();
  }

  @BeforeAll
  static void start() throws Exception {
    Process build = new ProcessBuilder(SCRIPT.toString(), PROGRAMS.toString()).inheritIO().start();
    assertThat(build.waitFor()).isZero();
    server = ApiServer.start(PROGRAMS, folder);
    try (Stream<Path> definitions = Files.list(PROGRAMS.resolve("crds"))) {
      for (Path file : definitions.toList()) {
        for (JsonNode definition : Yaml.all(Files.readString(file))) {
          server.define(definition);
        }
      }
    }
    server.create(
        "/api/v1/namespaces",
        Yaml.read("{apiVersion: v1, kind: Namespace, metadata: {name: " + NAMESPACE + "}}"));
    kubeConfig = Files.writeString(folder.resolve("config"), server.kubeConfig());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @AfterEach
  void uninstall() {
    Helm.uninstall(Chart.RELEASE)
        .withNamespace(NAMESPACE)
        .withKubeConfig(kubeConfig)
        .ignoreNotFound()
        .call();
  }

  private static InstallCommand install(Path values) {
    return new Helm(Chart.FOLDER)
        .install()
        .withName(Chart.RELEASE)
        .withNamespace(NAMESPACE)
        .withKubeConfig(kubeConfig)
        .withValuesFile(values);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void shouldInstallAndUninstallEachScenario(Path scenario) throws Exception {
    install(scenario).dryRun().withDryRunOption(DryRun.SERVER).call();
    assertThat(names("services")).isEmpty();

    install(scenario).call();
    assertThat(names("services")).contains(Chart.RELEASE);

    uninstall();
    assertThat(names("services")).isEmpty();
    assertThat(names("configmaps")).isEmpty();
  }

  @Test
  void shouldKeepNumberOfNodesWhenAutoscalingIsEnabled() throws Exception {
    install(values("replicaCount: 5\n")).call();
    upgrade("autoscaling: {enabled: true}\n");
    assertThat(replicas()).isEqualTo(5);

    upgrade("autoscaling: {enabled: true}\npodLabels: {upgrade: again}\n");
    assertThat(replicas()).isEqualTo(5);
  }

  private static void upgrade(String values) throws Exception {
    new Helm(Chart.FOLDER)
        .upgrade()
        .withName(Chart.RELEASE)
        .withNamespace(NAMESPACE)
        .withKubeConfig(kubeConfig)
        .withValuesFile(values(values))
        .call();
  }

  private static int replicas() throws Exception {
    return server
        .get("/apis/apps/v1/namespaces/" + NAMESPACE + "/deployments/" + Chart.RELEASE)
        .at("/spec/replicas")
        .asInt();
  }

  private static Path values(String more) throws IOException {
    return Files.writeString(folder.resolve("values.yaml"), Chart.LEAST + more);
  }

  /** Verifies that the server validates objects; otherwise the other tests would prove nothing. */
  @Test
  void shouldRejectInvalidObject() throws Exception {
    Path values = values("podLabels: {'not a name': of a label}\n");
    assertThatThrownBy(install(values)::call).hasMessageContaining("not a name");
  }

  private static List<String> names(String kind) throws Exception {
    return server
        .get("/api/v1/namespaces/" + NAMESPACE + "/" + kind)
        .get("items")
        .valueStream()
        .map(object -> object.at("/metadata/name").asText())
        .toList();
  }
}
