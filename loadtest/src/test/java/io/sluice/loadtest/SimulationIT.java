package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.report.Samples;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.SluiceProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests the simulations in Gatling with a broker, a gateway and a feed. */
@Execution(ExecutionMode.CONCURRENT)
class SimulationIT {
  /** Gatling's exit code for assertions that do not hold. */
  private static final int ASSERTIONS_FAILED = 2;

  private static final String LAUNCHER = Path.of("..", "gateway", "bin", "sluice").toString();

  @RegisterExtension static final SharedChain SHARED = new SharedChain();

  private static Chain chain;

  @TempDir private Path folder;

  @BeforeAll
  static void useChain() {
    chain = SHARED.get();
  }

  @Tag("full")
  @Test
  void shouldMeasureABrokerDirectlyAndThroughTheGateway() throws Exception {
    Path json = folder.resolve("bench.json");

    SluiceProcess bench =
        SluiceProcess.start(
            Stream.of(
                    "bench-broker --mode topic --delivery non-persistent --messages 50 --runs 2",
                    "--warm-up 0.1 --broker " + chain.broker(),
                    "--gateway " + chain.url() + " --json " + json)
                .flatMap(line -> Stream.of(line.split(" ")))
                .collect(Collectors.toCollection(() -> new ArrayList<>(List.of(LAUNCHER)))));

    assertThat(bench.exitCode()).as("%s", lines(bench)).isZero();
    assertThat(lines(bench)).anyMatch(line -> line.matches(".*, gateway .*\\| +0 \\| +0 \\|"));
    assertThat(Files.readString(json)).contains("\"failures\" : [ ]");
  }

  @Test
  void shouldMeasureGatewayWithLoadGeneratorsWithoutLoss() throws Exception {
    SluiceProcess gatling =
        simulation("Ticker", "clients=100", "measured=10", "runs=2", "metrics=" + chain.metrics());

    assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
    Measurement measurement = measurement();
    assertThat(measurement.command()).contains("-Dclients=100");
    assertThat(measurement.parameters()).containsEntry("encoding", "bin");
    assertThat(measurement.versions()).containsKeys("gateway", "Gatling");
    assertThat(measurement.clock().uncertaintyMicros()).isGreaterThanOrEqualTo(1000);
    assertThat(measurement.runs()).hasSize(2).allSatisfy(SimulationIT::isComplete);
    assertThat(measurement.runs().get(0).gateway()).isNotEmpty();
  }

  @Tag("full")
  @Test
  void shouldFailWhenLimitIsExceeded() throws Exception {
    SluiceProcess gatling =
        simulation("Ticker", "clients=5", "measured=5", "encoding=json", "maxMean=0.000001");

    assertThat(gatling.exitCode()).isEqualTo(ASSERTIONS_FAILED);
    assertThat(lines(gatling))
        .anyMatch(line -> line.startsWith("FAILED mean within its limit: run 1: mean is "));
    assertThat(measurement().runs().get(0).clients()).hasSize(5);
  }

  @Tag("full")
  @Test
  void shouldFailWhenNoFeedRuns() throws Exception {
    SluiceProcess gatling =
        simulation("Ticker", "clients=3", "measured=3", "prefix=nothing.", "patience=5");

    assertThat(gatling.exitCode()).isEqualTo(ASSERTIONS_FAILED);
    assertThat(lines(gatling))
        .contains(
            "FAILED measurement: no message was received within 5 s;"
                + " check that a feed publishes to the topics nothing.0 to nothing.19");
  }

  @Tag("full")
  @Test
  void shouldMeasureAndPlanByTheCapacityScripts() throws Exception {
    SluiceProcess gatling =
        chain.script(
            "P99=60000",
            "FROM=40",
            "TO=60",
            "STEP=20",
            "WARMUP=1",
            "DURATION=2",
            "FOLDER=" + folder,
            "measure.sh",
            "-Dmeasured=5",
            "-Dramp=1",
            "-Dtolerance=100",
            "-Dpatience=60");

    assertThat(gatling.exitCode(Duration.ofMinutes(5))).as("%s", lines(gatling)).isZero();
    Measurement measurement = measurement();
    assertThat(measurement.runs()).extracting(run -> run.load().clients()).contains(40, 60);
    assertThat(measurement.runs().get(0).gateway()).isNotEmpty();

    // The measured runs are too short for a steady state, without which there is no plan.
    Path steady = folder.resolve("steady.json");
    Samples.measurement(Samples.run(1, 100, 500, 1)).write(steady);
    SluiceProcess plan =
        chain.script("CLIENTS=100", "P99=50", "plan.sh", steady.toAbsolutePath().toString());

    assertThat(plan.exitCode()).as("%s", lines(plan)).isZero();
    assertThat(lines(plan)).anyMatch(line -> line.startsWith("| nodes | 3 |"));
  }

  @Tag("full")
  @Test
  void shouldEndTheCapacityScriptWithItsNode() throws Exception {
    String freePort = "BROKER_PORT=" + FreePorts.one();

    // The chain's node uses the node's ports.
    try (SluiceProcess script = chain.script(freePort, "start.sh")) {
      assertThat(script.exitCode()).isEqualTo(1);
      assertThat(script.errors())
          .contains("start.sh: the node ended with status 1; see its log above");
    }
  }

  @Test
  @Tag("full")
  void shouldServeTwoThousandClientsForAMinute() throws Exception {
    SluiceProcess gatling =
        simulation(
            "Ticker", "clients=2000", "warmup=10", "duration=60", "metrics=" + chain.metrics());

    assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
    MeasuredRun run = measurement().runs().get(0);
    assertThat(run.clients()).hasSize(30);
    assertThat(run.loadGenerators().clients()).isEqualTo(1970);
  }

  @Test
  @Tag("full")
  void shouldMeasureConnectTimesInStorm() throws Exception {
    SluiceProcess gatling = simulation("Storm", "clients=60", "measured=5", "joining=10");

    assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
    MeasuredRun run = measurement().runs().get(0);
    assertThat(run.connects().count()).isEqualTo(10);
    assertThat(run.events())
        .anyMatch(event -> event.text().startsWith("all are subscribed after "));
    assertThat(run.loadGenerators().clients()).isEqualTo(45);
  }

  @Test
  @Tag("full")
  void shouldMeasureTransientClients() throws Exception {
    SluiceProcess gatling = simulation("Churn", "clients=60", "measured=5", "churn=10", "stay=2");

    assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
    MeasuredRun run = measurement().runs().get(0);
    assertThat(run.connects().count()).isPositive();
    assertThat(run.events()).anyMatch(event -> event.kind().equals("visitors"));
  }

  @Test
  @Tag("full")
  void shouldIncreaseLoadStepwise() throws Exception {
    SluiceProcess gatling =
        simulation("Ramp", "from=20", "to=60", "step=20", "measured=5", "objective=60000");

    assertThat(gatling.exitCode()).as("%s", lines(gatling)).isZero();
    assertThat(measurement().runs()).extracting(run -> run.load().clients()).contains(20, 40, 60);
  }

  @Test
  @Tag("full")
  void shouldFailWhenFirstStepFails() throws Exception {
    SluiceProcess gatling = simulation("Ramp", "from=20", "measured=5", "objective=0.001");

    assertThat(gatling.exitCode()).isEqualTo(ASSERTIONS_FAILED);
    assertThat(measurement().runs()).hasSize(1);
  }

  private static void isComplete(MeasuredRun run) {
    assertThat(run.clients()).hasSize(10).allMatch(client -> client.complete());
    assertThat(run.clients().stream().map(client -> client.topic()).distinct()).hasSize(10);
    assertThat(run.loadGenerators().clients()).isEqualTo(90);
    assertThat(run.loadGenerators().frames()).isPositive();
  }

  /** Runs Gatling in a separate process. The tolerance of 100 % allows for slow machines. */
  private SluiceProcess simulation(String name, String... parameters) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    List<String> all =
        new ArrayList<>(
            List.of(
                "url=" + chain.url(),
                "folder=" + folder,
                "topics=" + SharedChain.TOPICS,
                "rate=" + SharedChain.RATE,
                "size=" + SharedChain.BYTES,
                "tolerance=100",
                "patience=60",
                "ramp=1"));
    if (Stream.of(parameters).noneMatch(parameter -> parameter.startsWith("duration="))) {
      all.addAll(List.of("warmup=1", "duration=4"));
    }
    all.addAll(List.of(parameters));
    all.forEach(parameter -> command.add("-D" + parameter));
    command.addAll(List.of("io.gatling.app.Gatling", "--simulation"));
    command.add("io.sluice.loadtest." + name);
    command.addAll(List.of("--no-reports", "--results-folder", folder.toString()));
    return SluiceProcess.start(command);
  }

  private static String absoluteClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static List<String> lines(SluiceProcess process) {
    return Stream.concat(process.output().stream(), process.errors().stream()).toList();
  }

  private Measurement measurement() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      Path file = files.filter(path -> path.toString().endsWith(".json")).findFirst().orElseThrow();
      return Measurement.read(file);
    }
  }
}
