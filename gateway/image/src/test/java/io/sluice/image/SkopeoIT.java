package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image before skopeo, whose code Podman and others read images by: it checks each digest. */
class SkopeoIT {
  private static final Path PROVIDER =
      Path.of("..", "src", "test", "scripts", "provide-program.sh");
  private static final long PATIENCE_MINUTES = 5;

  @TempDir private static Path folder;
  private static BuiltImage image;
  private static String skopeo;

  /** How a program ended, and what it said on both of its outputs. */
  private record End(int code, String output) {}

  @BeforeAll
  static void find() throws Exception {
    image = BuiltImage.find(folder.resolve("image"));
    End provider = run(PROVIDER.toString(), "skopeo", Path.of("target", "skopeo").toString());
    List<String> said = provider.output().lines().toList();
    String last = said.isEmpty() ? "" : said.get(said.size() - 1);
    assumeTrue(provider.code() == 0, "no skopeo: " + last);
    skopeo = last;
  }

  private static End run(String... command) throws Exception {
    Path said = Files.createTempFile(folder, "said", ".log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      return new End(137, command[0] + " takes too long");
    }
    return new End(process.exitValue(), Files.readString(said));
  }

  /** A folder with the image's parts, as skopeo has read them from one form of the archive. */
  private static Path copied(String form) throws Exception {
    String tag = image.json("manifest.json").at("/0/RepoTags/0").textValue();
    Path copy = folder.resolve(form);
    End end =
        run(
            skopeo,
            "--insecure-policy",
            "--tmpdir",
            folder.toString(),
            "copy",
            form + ":" + image.archive() + ":" + tag,
            "dir:" + copy);
    assertThat(end.code()).as(end.output()).isZero();
    return copy;
  }

  @Test
  void shouldBeReadAsALayoutOfOciAndKeepItsDigest() throws Exception {
    Path manifest = copied("oci-archive").resolve("manifest.json");

    assertThat(Digest.of(manifest))
        .hasToString(image.json("index.json").at("/manifests/0/digest").textValue());
  }

  @Test
  void shouldBeReadAsAnArchiveOfDockerOfTheSameConfiguration() throws Exception {
    JsonNode manifest =
        new JsonMapper().readTree(copied("docker-archive").resolve("manifest.json").toFile());

    assertThat(manifest.at("/config/digest")).isEqualTo(image.manifest().at("/config/digest"));
    assertThat(manifest.get("layers")).hasSize(image.layers().size());
  }
}
