package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive for production, unpacked somewhere else. */
@Timeout(180)
class DistributionIT {
  @TempDir private static Path folder;

  private static Path archive;
  private static Path home;

  @BeforeAll
  static void unpack() throws Exception {
    archive = only(Path.of("target"), "sluice-.*\\.tar\\.gz");
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    home = only(folder, "sluice-.*");
  }

  private static Path only(Path parent, String name) throws IOException {
    try (Stream<Path> entries = Files.list(parent)) {
      List<Path> found =
          entries.filter(entry -> entry.getFileName().toString().matches(name)).toList();
      assertThat(found).as("%s in %s", name, parent).hasSize(1);
      return found.get(0);
    }
  }

  @Tag("full")
  @Test
  void shouldStart() {
    try (SluiceProcess version = start("--version")) {
      assertThat(version.exitCode()).isZero();
      assertThat(version.output()).singleElement().asString().startsWith("sluice ");
    }
  }

  @Test
  void shouldCheckAFile() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("sluice.yaml"), "{broker.url: 'tcp://b:61616', server.host: localhost}");
    try (SluiceProcess check = start("check-config", "--anonymous", file.toString())) {
      assertThat(check.exitCode()).isZero();
      assertThat(check.output()).last().isEqualTo(file + " is valid");
    }
  }

  @Test
  void shouldContainNoBrokerServerAndReportIt() throws IOException {
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      assertThat(jars.map(jar -> jar.getFileName().toString()))
          .noneMatch(jar -> jar.contains("artemis-server") || jar.contains("activemq-broker"))
          .noneMatch(jar -> jar.contains("embedded-broker"))
          .noneMatch(jar -> jar.contains("sluice-demo"));
    }
    try (SluiceProcess demo = start("demo", "--port", "0", "--admin-port", "0")) {
      assertThat(demo.exitCode()).isEqualTo(1);
      assertThat(demo.errors())
          .containsExactly(
              "sluice demo: the embedded broker is not installed; it is built from the sources and"
                  + " is not part of a production archive. Start a node with 'sluice run --broker URL"
                  + " --anonymous', or the demo with --source kafka or nats");
    }
  }

  @Test
  void shouldNotListTheBrokerInItsHelp() throws IOException {
    try (SluiceProcess help = start("--help")) {
      assertThat(help.exitCode()).isZero();
      assertThat(help.output())
          .anyMatch(line -> line.startsWith("  demo "))
          .noneMatch(line -> line.startsWith("  broker "));
    }
  }

  @Test
  void shouldContainTheDocumentation() {
    assertThat(home.resolve("docs/site/index.html")).isNotEmptyFile();
    assertThat(home.resolve("docs/site/reference/configuration.html")).isNotEmptyFile();
  }

  @Test
  void shouldHaveAChecksumFile() throws IOException {
    assertThat(archive.resolveSibling("SHA256SUMS"))
        .content()
        .isEqualToIgnoringNewLines(sum(archive) + " *" + archive.getFileName());
  }

  @Test
  void shouldListAllItsFiles() throws IOException {
    Set<String> listed = new HashSet<>();
    for (String folder : List.of("", "amqp")) {
      Path bom = home.resolve(folder).resolve("sbom.json");
      assumeThat(bom).as("a build without a network makes none").exists();
      for (JsonNode component : new JsonMapper().readTree(bom.toFile()).path("components")) {
        for (JsonNode hash : component.path("hashes")) {
          listed.add(hash.path("content").textValue());
        }
      }
    }
    for (String folder : List.of("lib", "amqp")) {
      try (Stream<Path> files = Files.list(home.resolve(folder))) {
        assertThat(files.filter(DistributionIT::isLibrary))
            .isNotEmpty()
            .allMatch(jar -> listed.contains(sum(jar)));
      }
    }
  }

  private static boolean isLibrary(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".jar") && !name.startsWith("sluice-gateway-");
  }

  @Test
  void shouldContainTheClientOfAmqp(@TempDir Path folder) throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("sluice.yaml"),
            "broker: {url: amqp://broker.example.com, provider: amqp}\nauth.anonymous: true\n");
    try (SluiceProcess check = start("check-config", config.toString())) {
      assertThat(check.exitCode()).as(String.join("\n", check.errors())).isZero();
    }
  }

  private static String sum(Path file) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(digest);
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static SluiceProcess start(String... arguments) {
    return SluiceProcess.start(List.of(home.resolve("bin/sluice").toString()), arguments);
  }
}
