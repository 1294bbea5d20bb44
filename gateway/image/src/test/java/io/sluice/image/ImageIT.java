package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the contents and the configuration of the image. */
@Timeout(180)
class ImageIT {
  private static final Path REPOSITORY = Path.of("..", "..");

  @TempDir private static Path folder;
  private static BuiltImage image;
  private static BuiltImage.Contents contents;

  @BeforeAll
  static void find() throws Exception {
    image = BuiltImage.find(folder.resolve("image"));
    contents = image.contents();
  }

  @Tag("full")
  @Test
  void shouldNameEachBlobByItsDigest() throws IOException {
    List<JsonNode> parts = new ArrayList<>();
    parts.add(image.json("index.json").at("/manifests/0"));
    parts.add(image.manifest().path("config"));
    image.manifest().path("layers").forEach(parts::add);
    assertThat(parts).hasSize(6);
    assertThat(image.archive().resolveSibling("SHA256SUMS"))
        .hasContent(Digest.of(image.archive()).hex() + " *" + image.archive().getFileName());
    for (JsonNode part : parts) {
      Path file = image.file(part);
      assertThat(Digest.of(file)).hasToString(part.path("digest").textValue());
      assertThat(file).hasSize(part.path("size").longValue());
    }
  }

  @Test
  void shouldMatchChartAndComposeFile() throws IOException {
    JsonNode run = image.config().path("config");
    String tag = image.json("manifest.json").at("/0/RepoTags/0").textValue();
    assertThat(text(run.path("Entrypoint"))).containsExactly("/opt/sluice/bin/sluice");
    assertThat(text(run.path("Cmd"))).containsExactly("run", "--config", "/etc/sluice/sluice.yaml");
    assertThat(run.path("User").textValue()).isEqualTo("65532:65532");

    String pod = Files.readString(REPOSITORY.resolve("helm/sluice/templates/_pod.tpl"));
    assertThat(pod)
        .contains("command: [/opt/sluice/bin/sluice]")
        .contains("args: [run, --config, /etc/sluice/sluice.yaml]");
    assertThat(Files.readString(REPOSITORY.resolve("helm/sluice/values.yaml")))
        .contains("\n  runAsUser: 65532\n")
        .contains("repository: " + tag.replaceFirst(":.*", "") + "\n");
    assertThat(Files.readString(REPOSITORY.resolve("helm/sluice/Chart.yaml")))
        .contains("appVersion: " + tag.replaceFirst(".*:", "") + "\n");
    assertThat(Files.readString(REPOSITORY.resolve("gateway/deploy/compose.yaml")))
        .contains("image: ${SLUICE_IMAGE:-" + tag + "}")
        .contains("user: \"65532:65532\"");
  }

  private static List<String> text(JsonNode array) {
    List<String> text = new ArrayList<>();
    array.forEach(each -> text.add(each.textValue()));
    return text;
  }

  @Test
  void shouldContainNoWritableOrPrivilegedFiles() {
    assertThat(contents.open()).containsExactly("tmp/ 1777 0", "var/lib/sluice/ 700 65532");
  }

  @Test
  void shouldListAllComponentsInSbom() {
    JsonNode components = contents.sbom().path("components");
    Set<String> names = new HashSet<>();
    Set<String> hashes = new HashSet<>();
    for (JsonNode component : components) {
      names.add(component.path("name").textValue());
      component.path("hashes").forEach(hash -> hashes.add(hash.path("content").textValue()));
    }
    assertThat(contents.jars()).isNotEmpty();
    assertThat(contents.jars().entrySet()).allMatch(jar -> hashes.contains(jar.getValue()));
    assertThat(contents.packages()).contains("libc6", "openjdk-25-jre-headless").isSubsetOf(names);
    assertThat(names).contains("sluice-gateway");
  }

  @Tag("full")
  @Test
  void shouldBuildReproducibly() throws Exception {
    JsonNode labels = image.config().at("/config/Labels");
    Path again = folder.resolve("again");
    BuildScript.Result build =
        BuildScript.run(
            labels.path("org.opencontainers.image.version").textValue(),
            image.config().path("created").textValue(),
            image.config().path("architecture").textValue(),
            "true",
            again.toString());
    assertThat(build.code()).as(build.output()).isZero();
    assertThat(again.resolve("SHA256SUMS"))
        .hasSameTextualContentAs(image.archive().resolveSibling("SHA256SUMS"));
  }
}
