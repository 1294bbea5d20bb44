package io.sluice.gateway.cli;

import static io.sluice.testkit.SluiceProcess.LAUNCHER;
import static io.sluice.testkit.SluiceProcess.awaitEnd;
import static io.sluice.testkit.SluiceProcess.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.testkit.KafkaProcess;
import io.sluice.testkit.NatsServer;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice demo}: what it serves, and that nothing of it outlives it. */
@Timeout(180)
class DemoIT {
  @TempDir private Path folder;

  private static final String[] DEMO = {"demo", "--port", "0", "--admin-port", "0"};

  @Tag("full")
  @Test
  void shouldServeThePageAndLivePricesAndEndOnSigterm() {
    try (SluiceProcess demo = SluiceProcess.start(DEMO)) {
      String page = address(demo);
      assertThat(get(page).body()).contains("<title>Sluice");
      assertThat(get(page + "sluice/index.js").statusCode()).isEqualTo(200);
      String metrics = demo.awaitLine("Metrics: +(http://localhost:\\d+/metrics)").group(1);
      assertThat(get(metrics).body()).contains("sluice_connections");
      assertPricesMove(page);
      ProcessHandle broker = demo.child();
      demo.sigterm();
      assertThat(demo.exitCode()).isZero();
      assertThat(broker.isAlive()).isFalse();
    }
  }

  private static void assertPricesMove(String page) {
    int port = Integer.parseInt(page.replaceAll("\\D", ""));
    try (RawWebSocket client =
        RawWebSocket.to("127.0.0.1", port, "/ws").timeout(Duration.ofSeconds(60)).open()) {
      client.subscribe(1, "stocks.99");
      for (int i = 0; i < 5; i++) {
        assertThat(client.await("message").path("payload").asText())
            .matches("\\{\"symbol\":.*\"price\":.*,\"time\":[0-9.]+}");
      }
    }
  }

  /** Interrupts the process group, broker included, as a terminal does on ^C. */
  @Tag("full")
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldEndInOrderWhenInterruptedInATerminal() throws Exception {
    // The build may run in the background with SIGINT ignored, and the demo would inherit that.
    List<String> ownGroup =
        List.of("env", "--default-signal=INT", "setsid", SluiceProcess.LAUNCHER.toString());
    try (SluiceProcess demo = SluiceProcess.start(ownGroup, DEMO)) {
      address(demo);
      ProcessHandle broker = demo.child();
      interruptGroup(demo.pid());
      assertThat(demo.exitCode()).isZero();
      assertThat(broker.isAlive()).isFalse();
      assertThat(demo.errors())
          .filteredOn(line -> !isOfASlowMachine(line) && !line.contains("node.exposed"))
          .noneMatch(line -> line.contains(" WARN ") || line.contains("\tat "));
    }
  }

  // On a slow machine a node is interrupted while it opens its sessions at the broker.
  private static boolean isOfASlowMachine(String line) {
    return Stream.of("process.paused", "BlockedThreadChecker", "broker.unreachable", "AMQ212052")
        .anyMatch(line::contains);
  }

  private static void interruptGroup(long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-INT", "--", "-" + pid).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  @Tag("full")
  @Test
  void shouldEndItsBrokerWhenKilled() {
    try (SluiceProcess demo = SluiceProcess.start(DEMO)) {
      address(demo);
      ProcessHandle broker = demo.child();
      demo.sigkill();
      awaitEnd(broker);
    }
  }

  @Tag("full")
  @Test
  void shouldExitWithTheReasonWhenItsBrokerStops() {
    try (SluiceProcess demo = SluiceProcess.start(DEMO)) {
      assertPricesMove(address(demo));
      demo.child().destroyForcibly();
      assertThat(demo.exitCode()).isEqualTo(1);
      assertThat(demo.errors())
          .contains("sluice demo: the broker's process ended with exit code 137");
    }
  }

  @Tag("full")
  @Test
  void shouldRefuseFaultsThatItsOwnPageDidNotRequest() throws Exception {
    try (SluiceProcess demo = SluiceProcess.start(DEMO)) {
      String page = address(demo);
      String origin = page.substring(0, page.length() - 1);
      assertThat(post(page + "demo/broker/stop", "http://localhost:1").statusCode()).isEqualTo(403);
      assertThat(post(page + "demo/broker/stop", null).statusCode()).isEqualTo(403);
      assertThat(get(page + "demo/broker/stop").statusCode()).isEqualTo(405);
      assertThat(post(page + "demo/kill/1", origin).body())
          .contains("no node has the port 1; expected one of ");
      assertThat(post(page + "demo/other", origin).body()).contains("no such action; expected");
      assertThat(get(page + "demo/state").body())
          .contains("\"broker\":\"up\"", "\"demo-2\":", "\"controls\":true");
    }
  }

  @Tag("full")
  @Test
  void shouldStartAKafkaServer() throws Exception {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    KafkaProcess.writePrograms(bin);
    assertServes("kafka", bin);
  }

  @Tag("full")
  @Test
  void shouldStartANatsServer() throws Exception {
    Optional<String> program = NatsServer.provide();
    assumeThat(program).as("nats-server, see above").isPresent();
    assertServes("nats", Path.of(program.get()).toAbsolutePath().getParent());
  }

  private static void assertServes(String source, Path bin) {
    List<String> command =
        List.of("env", "PATH=" + bin + ":" + System.getenv("PATH"), LAUNCHER.toString());
    try (SluiceProcess demo =
        SluiceProcess.start(
            command, "demo", "--port", "0", "--admin-port", "0", "--source", source)) {
      String page = address(demo);
      assertPricesMove(page);
      assertThat(get(page + "demo/state").body()).contains("\"broker\":\"up\"", "\"demo-2\":");
      List<ProcessHandle> server = demo.child().descendants().toList();
      assertThat(server).isNotEmpty();
      demo.sigterm();
      assertThat(demo.exitCode()).isZero();
      server.forEach(SluiceProcess::awaitEnd);
    }
  }

  @Tag("full")
  @Test
  void shouldUseServersThatRun() throws Exception {
    try (KafkaProcess kafka = KafkaProcess.start(folder);
        SluiceProcess demo =
            SluiceProcess.start(
                "demo",
                "--port",
                "0",
                "--admin-port",
                "0",
                "--source",
                "kafka",
                "--servers",
                kafka.server())) {
      String page = address(demo);
      assertPricesMove(page);
      String origin = page.substring(0, page.length() - 1);
      assertThat(post(page + "demo/broker/stop", origin).body())
          .contains("has not started this server");
      demo.sigterm();
      assertThat(demo.exitCode()).isZero();
    }
  }

  @Test
  void shouldRefuseMalformedAddresses() {
    CommandRun kafka =
        CommandRun.of(List.of("demo", "--source", "kafka", "--servers", "a:9092,host:1x"));
    assertThat(kafka.code()).isEqualTo(1);
    assertThat(kafka.err())
        .contains("--servers", "\"host:1x\" is not a host and a port")
        .doesNotContain("\"a:9092\"");
    CommandRun nats = CommandRun.of(List.of("demo", "--source", "nats", "--servers", "host:1x"));
    assertThat(nats.code()).isEqualTo(1);
    assertThat(nats.err()).contains("--servers", "\"host:1x\" is not a URL of NATS");
  }

  @Tag("full")
  @Test
  void shouldNameTheProgramThatIsNotInstalled() {
    List<String> command = List.of("env", "PATH=/usr/bin:/bin", LAUNCHER.toString());
    try (SluiceProcess demo = SluiceProcess.start(command, "demo", "--source", "kafka")) {
      assertThat(demo.exitCode()).isEqualTo(1);
      assertThat(String.join("\n", demo.errors()))
          .contains("no kafka-server-start is in PATH; install it, or set --servers");
    }
  }

  private static HttpResponse<String> post(String url, String origin) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.noBody());
    if (origin != null) {
      request.header("Origin", origin);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String address(SluiceProcess demo) {
    return demo.awaitLine("Live prices: (http://localhost:\\d+/)").group(1);
  }
}
