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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that skopeo reads the image. Podman and others use the same library, which checks each
 * digest.
 */
class SkopeoIT {
  private static final Path PROVIDER =
      Path.of("..", "src", "test", "scripts", "provide-program.sh");
  private static final long TIMEOUT_MINUTES = 5;

  @TempDir private static Path folder;
  private static BuiltImage image;
  private static String skopeo;

  /** Exit code of a program and its standard output and error. */
  private record ExitResult(int code, String output) {}

  @BeforeAll
  static void find() throws Exception {
    image = BuiltImage.find(folder.resolve("image"));
    ExitResult provider =
        run(PROVIDER.toString(), "skopeo", Path.of("target", "skopeo").toString());
    List<String> output = provider.output().lines().toList();
    String last = output.isEmpty() ? "" : output.get(output.size() - 1);
    assumeTrue(provider.code() == 0, "no skopeo: " + last);
    skopeo = last;
  }

  private static ExitResult run(String... command) throws Exception {
    Path output = Files.createTempFile(folder, "output", ".log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      return new ExitResult(
          137, command[0] + " did not exit within " + TIMEOUT_MINUTES + " minutes");
    }
    return new ExitResult(process.exitValue(), Files.readString(output));
  }

  /** Returns a folder with the image's blobs, copied by skopeo from one form of the archive. */
  private static Path copied(String form) throws Exception {
    String tag = image.json("manifest.json").at("/0/RepoTags/0").textValue();
    Path copy = folder.resolve(form);
    ExitResult end =
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

  @Tag("full")
  @Test
  void shouldReadOciArchiveWithSameDigest() throws Exception {
    Path manifest = copied("oci-archive").resolve("manifest.json");

    assertThat(Digest.of(manifest))
        .hasToString(image.json("index.json").at("/manifests/0/digest").textValue());
  }

  @Tag("full")
  @Test
  void shouldReadDockerArchiveWithSameConfiguration() throws Exception {
    JsonNode manifest =
        new JsonMapper().readTree(copied("docker-archive").resolve("manifest.json").toFile());

    assertThat(manifest.at("/config/digest")).isEqualTo(image.manifest().at("/config/digest"));
    assertThat(manifest.get("layers")).hasSize(image.layers().size());
  }
}
