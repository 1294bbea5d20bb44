package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The AOT cache of a clone: its creation, its use, and starts without a usable one. */
@Tag("full")
@Timeout(180)
class AotCacheIT {
  private static final String JAVA_OPTIONS = "-XX:TieredStopAtLevel=1";

  /** Source of a class in the log of the virtual machine if it was not read from a jar. */
  private static final String CACHED =
      "io.sluice.gateway.cli.RunCommand source: shared objects file";

  private static final Duration CREATION_LIMIT = Duration.ofSeconds(170);

  @TempDir private static Path folder;
  private static Path caches;
  private static Path cache;

  @BeforeAll
  static void create() throws Exception {
    caches = folder.resolve("caches");
    try (TestBroker broker = TestBroker.start("artemis");
        SluiceProcess creation = creation(caches, "--seconds", "1", "--broker", broker.url())) {
      assertThat(creation.exitCode(CREATION_LIMIT)).as("%s", creation.errors()).isZero();
      assertThat(creation.output()).singleElement().asString().contains(" MiB, for Java ");
    }
    try (Stream<Path> files = Files.list(caches)) {
      List<Path> found = files.toList();
      assertThat(found).as("without temporary folders").hasSize(1);
      cache = found.get(0);
    }
  }

  @Test
  void shouldUseTheCache() throws IOException {
    assertThat(loadedClasses(caches)).contains(CACHED);
  }

  @Test
  void shouldStartWithoutATruncatedCache() throws IOException {
    Path copy = copy("truncated");
    try (FileChannel file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      file.truncate(file.size() / 2);
    }
    assertThat(loadedClasses(copy.getParent())).doesNotContain(CACHED);
  }

  @Test
  void shouldStartWithoutAForeignCache() throws IOException {
    Path copy = copy("foreign");
    Files.writeString(copy, "a text");
    assertThat(loadedClasses(copy.getParent())).doesNotContain(CACHED);
  }

  /** The jars have other modification times than those of the clone. */
  @Test
  void shouldStartWithoutACacheOfOtherJars() throws Exception {
    Path home = unpackedArchive();
    Path copy = copy("stale");
    assertThat(loadedClasses(home.resolve("bin/sluice"), JAVA_OPTIONS, copy.getParent()))
        .doesNotContain(CACHED);
  }

  /** A cache depends on the collector, which the user may change. */
  @Test
  void shouldStartWithAnotherCollector() throws IOException {
    for (String option :
        List.of("-XX:+UseSerialGC", "-XX:+UseZGC", "-XX:ObjectAlignmentInBytes=16")) {
      assertThat(loadedClasses(SluiceProcess.LAUNCHER, JAVA_OPTIONS + " " + option, caches))
          .as(option)
          .contains("io.sluice.gateway.cli.RunCommand source: ");
    }
  }

  @Test
  void shouldReportAFileThatCannotBeWritten() throws IOException {
    Path file = Files.createFile(folder.resolve("a-file"));
    try (SluiceProcess creation = creation(file)) {
      assertThat(creation.exitCode()).isEqualTo(1);
      assertThat(creation.errors())
          .singleElement()
          .asString()
          .startsWith("sluice aot-cache: " + file)
          .endsWith("; set SLUICE_AOT_CACHE to a writable folder, or --output");
    }
    try (SluiceProcess creation = creation(Path.of("off"))) {
      assertThat(creation.exitCode()).isEqualTo(1);
      assertThat(creation.errors())
          .containsExactly(
              "sluice aot-cache: no file for the cache: SLUICE_AOT_CACHE is off; set --output FILE");
    }
  }

  /** The message has the last lines of the node's output. */
  @Test
  void shouldReportANodeThatDoesNotStart() throws IOException {
    Path none = folder.resolve("none");
    try (SluiceProcess creation = creation(none, "--broker", "nonsense")) {
      assertThat(creation.exitCode()).isEqualTo(1);
      assertThat(creation.errors().get(0))
          .isEqualTo("sluice aot-cache: the trained node did not start; its last output:");
      assertThat(String.join("\n", creation.errors())).contains("broker.url", "nonsense");
    }
    assertThat(none).isEmptyDirectory();
  }

  @Test
  void shouldRejectADurationOutOfRange() {
    for (String seconds : List.of("0", "601")) {
      try (SluiceProcess creation = creation(caches, "--seconds", seconds)) {
        assertThat(creation.exitCode()).isEqualTo(2);
        assertThat(creation.errors().get(0))
            .endsWith("--seconds " + seconds + " is out of range; expected 1 to 600");
      }
    }
  }

  private static Path unpackedArchive() throws Exception {
    Path home = Files.createDirectories(folder.resolve("archive"));
    Path lib = Files.createDirectory(home.resolve("lib"));
    Files.createDirectory(home.resolve("bin"));
    Files.copy(SluiceProcess.LAUNCHER, home.resolve("bin/sluice"));
    for (Path jars : List.of(Path.of("target", "lib"), Path.of("target"))) {
      try (Stream<Path> files = Files.list(jars)) {
        for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).toList()) {
          Path copied = Files.copy(jar, lib.resolve(jar.getFileName()));
          Files.setLastModifiedTime(copied, FileTime.from(Instant.EPOCH.plusSeconds(1)));
        }
      }
    }
    return home;
  }

  private static Path copy(String name) throws IOException {
    Path copies = Files.createDirectory(folder.resolve(name));
    return Files.copy(cache, copies.resolve(cache.getFileName()));
  }

  private static String loadedClasses(Path caches) throws IOException {
    return loadedClasses(SluiceProcess.LAUNCHER, JAVA_OPTIONS, caches);
  }

  /** Runs a command, which prints nothing but its result, and returns the log of its classes. */
  private static String loadedClasses(Path launcher, String options, Path caches)
      throws IOException {
    Path log = Files.createTempFile(folder, "classes", ".log");
    String all = options + " -Xlog:class+load:file=" + log;
    try (SluiceProcess version = start(launcher, all, caches, "--version")) {
      assertThat(version.exitCode()).isZero();
      assertThat(version.output()).singleElement().asString().startsWith("sluice ");
      assertThat(version.errors()).isEmpty();
    }
    return Files.readString(log);
  }

  private static SluiceProcess creation(Path caches, String... options) {
    String[] command =
        Stream.concat(Stream.of("aot-cache"), Stream.of(options)).toArray(String[]::new);
    return start(SluiceProcess.LAUNCHER, JAVA_OPTIONS, caches, command);
  }

  private static SluiceProcess start(
      Path launcher, String options, Path caches, String... arguments) {
    List<String> command =
        List.of(
            "env",
            "SLUICE_JAVA_OPTS=" + options,
            "SLUICE_AOT_CACHE=" + caches,
            launcher.toString());
    return SluiceProcess.start(command, arguments);
  }
}
