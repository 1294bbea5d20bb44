package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.loadtest.result.Measurement;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The archive of the load test, unpacked somewhere else, with a broker, a gateway and a feed. */
class LoadTestArchiveIT {
  @RegisterExtension static final SharedChain SHARED = new SharedChain();

  @TempDir private static Path folder;

  private static Path home;
  private static Chain chain;

  @BeforeAll
  static void unpack() throws Exception {
    Path archive = only(Path.of("target"), "sluice-loadtest-.*\\.tar\\.gz");
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    home = only(folder, "sluice-loadtest-.*");
    chain = SHARED.get();
  }

  @Tag("full")
  @Test
  void shouldAnswerHelpOfEachCommand() {
    for (String command :
        List.of(
            "load",
            "compare",
            "report",
            "plan",
            "intervals",
            "bench-broker",
            "bench-links",
            "simulate",
            "feed")) {
      try (SluiceProcess help = start(command, "--help")) {
        assertThat(help.exitCode()).as(command).isZero();
        assertThat(help.output()).as(command).anyMatch(line -> line.contains("sluice " + command));
      }
    }
    try (SluiceProcess help = start("--help")) {
      assertThat(help.exitCode()).isZero();
      assertThat(help.output()).anyMatch(line -> line.contains("bench-broker"));
    }
  }

  @Test
  void shouldListItsLibraries() throws IOException {
    Path bom = home.resolve("sbom.json");
    assumeThat(bom).as("a build without a network makes none").exists();
    List<String> names = new ArrayList<>();
    for (JsonNode component : new JsonMapper().readTree(bom.toFile()).path("components")) {
      names.add(component.path("name").textValue() + "-" + component.path("version").textValue());
    }
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      assertThat(jars.map(jar -> jar.getFileName().toString()))
          .filteredOn(name -> !name.startsWith("sluice-"))
          .isNotEmpty()
          .allMatch(name -> names.stream().anyMatch(name::startsWith));
    }
  }

  @Test
  void shouldNameTheArchiveOfOtherCommands() {
    try (SluiceProcess run = start("run", "--broker", "tcp://127.0.0.1:1")) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors())
          .containsExactly(
              "sluice: 'run' is no command of the load test's archive (--help lists them); the"
                  + " gateway's is sluice-VERSION.tar.gz");
    }
  }

  @Test
  void shouldPublish() {
    try (SluiceProcess feed =
        start("feed", "--broker", chain.broker(), "--prefix", "other.", "--topics", "2")) {
      feed.awaitLine("20\\.\\d messages/s, .* 0 skipped; late: mean .*");
      assertThat(feed.errors()).noneMatch(line -> line.contains("logback"));
    }
  }

  @Test
  void shouldGenerateLoad() {
    try (SluiceProcess load =
        start(
            "load", "--url", chain.url(), "--clients", "20", "--topics", "20", "--duration", "5")) {
      assertThat(load.exitCode()).as("%s", lines(load)).isZero();
      assertThat(load.output())
          .anyMatch(line -> line.contains("\"end\"") && line.matches(".*\"frames\":[1-9].*"));
    }
  }

  @Tag("full")
  @Test
  void shouldSimulateAndReport() throws Exception {
    Path results = folder.resolve("results");

    try (SluiceProcess ticker = simulate("Ticker", results, "clients=40", "measured=5")) {
      assertThat(ticker.exitCode()).as("%s", lines(ticker)).isZero();
    }

    Path json = only(results, "ticker-.*\\.json");
    assertThat(Measurement.read(json).command()).startsWith("sluice simulate Ticker -Dclients=40");
    Path pages = folder.resolve("pages");
    try (SluiceProcess report = start("report", json.toString(), "--folder", pages.toString())) {
      assertThat(report.exitCode()).as("%s", lines(report)).isZero();
    }
    assertThat(only(pages, "ticker-.*\\.html")).content().contains("Apache", "Settled");
    assertThat(only(pages, "ticker-.*\\.md")).content().contains("### Verdict");
  }

  @Tag("full")
  @Test
  void shouldFailForAFailedCheckAndUnknownParameters() {
    Path results = folder.resolve("failed");

    try (SluiceProcess slow = simulate("Ticker", results, "clients=5", "maxP99=0.001")) {
      assertThat(slow.exitCode()).as("%s", lines(slow)).isEqualTo(1);
      assertThat(lines(slow)).noneMatch(line -> line.contains("logback"));
      assertThat(slow.output()).anyMatch(line -> line.startsWith("FAILED p99 within its limit"));
    }
    try (SluiceProcess typo = simulate("ticker", results, "client=5")) {
      assertThat(typo.exitCode()).as("%s", lines(typo)).isEqualTo(1);
      assertThat(typo.errors())
          .singleElement()
          .asString()
          .startsWith("sluice simulate: Ticker: -Dclient: no parameter of this simulation");
    }
    try (SluiceProcess name = start("simulate", "Tiker")) {
      assertThat(name.exitCode()).isEqualTo(2);
      assertThat(lines(name)).anyMatch(line -> line.contains("Tiker"));
    }
  }

  @Test
  void shouldNotContainGatlingsReport() throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .anyMatch(file -> file.contains("gatling-core"))
          .noneMatch(file -> file.contains("highcharts"))
          .noneMatch(file -> file.contains("junit"));
    }
  }

  private static SluiceProcess simulate(String name, Path results, String... parameters) {
    List<String> arguments = new ArrayList<>(List.of("simulate", name));
    Stream.of(parameters).map(parameter -> "-D" + parameter).forEach(arguments::add);
    arguments.add("-Durl=" + chain.url());
    arguments.add("-Dfolder=" + results);
    Stream.of(
            "topics=" + SharedChain.TOPICS,
            "rate=" + SharedChain.RATE,
            "size=" + SharedChain.BYTES,
            "tolerance=100",
            "patience=60")
        .map(parameter -> "-D" + parameter)
        .forEach(arguments::add);
    arguments.addAll(List.of("-Dramp=1", "-Dwarmup=1", "-Dduration=5"));
    return start(arguments.toArray(String[]::new));
  }

  private static SluiceProcess start(String... arguments) {
    return SluiceProcess.start(List.of(home.resolve("bin/sluice").toString()), arguments);
  }

  private static List<String> lines(SluiceProcess process) {
    return Stream.concat(process.output().stream(), process.errors().stream()).toList();
  }

  private static Path only(Path parent, String name) throws IOException {
    try (Stream<Path> entries = Files.list(parent)) {
      List<Path> found =
          entries.filter(entry -> entry.getFileName().toString().matches(name)).toList();
      assertThat(found).as("%s in %s", name, parent).hasSize(1);
      return found.get(0);
    }
  }
}
