package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * Apicurio registry in a child process, with Confluent's REST interface and a store in memory.
 * Bound to the test's thread.
 */
public final class RegistryProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration START = Duration.ofMinutes(2);
  private static final String TYPE = "application/vnd.schemaregistry.v1+json";

  private final HttpClient http = HttpClient.newHttpClient();
  private final Path home;
  private final Path log;
  private final String host = Loopback.address();
  private final int port = FreePorts.one();
  private Process process;

  private RegistryProcess(Path home, Path log) {
    this.home = home;
    this.log = log;
  }

  /**
   * Starts a registry, and returns when it responds.
   *
   * @param home folder of the unpacked distribution
   * @param log its log
   */
  public static RegistryProcess start(Path home, Path log) {
    RegistryProcess registry = new RegistryProcess(home.toAbsolutePath(), log);
    registry.launch();
    Awaitility.await("registry").atMost(START).until(registry::responds);
    return registry;
  }

  private void launch() {
    try (Stream<Path> files = Files.list(home)) {
      Path jar =
          files.filter(each -> each.toString().endsWith("-runner.jar")).findFirst().orElseThrow();
      // Only C1: in a process of a few seconds C2 costs more than it saves.
      List<String> command =
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-Xmx400m",
              "-XX:TieredStopAtLevel=1",
              "-Dquarkus.http.host=" + host,
              "-Dquarkus.http.port=" + port,
              "-jar",
              jar.toString());
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean responds() throws InterruptedException {
    assertThat(process.isAlive()).as("the registry runs; its log is %s", log).isTrue();
    try {
      return http.send(request("/subjects").build(), HttpResponse.BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url() + path)).header("Content-Type", TYPE);
  }

  /** Returns the URL for {@code kafka.registry.url}. */
  public String url() {
    return "http://" + host + ':' + port + "/apis/ccompat/v7";
  }

  /**
   * Registers a version of a subject. Returns the id of its schema.
   *
   * @param version JSON with members schema, schemaType and references
   */
  public int register(String subject, String version) throws Exception {
    HttpResponse<String> response =
        http.send(
            request("/subjects/" + subject + "/versions")
                .POST(HttpRequest.BodyPublishers.ofString(version))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body()).get("id").asInt();
  }

  /** Deletes a subject, whose schemas records may still have. */
  public void delete(String subject) throws Exception {
    HttpResponse<String> response =
        http.send(
            request("/subjects/" + subject).DELETE().build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
  }

  /** Suspends the process (SIGSTOP): it accepts connections, but does not respond. */
  public void pause() {
    BrokerJvm.signal(process.pid(), "STOP");
  }

  /** Continues the process after {@link #pause}. */
  public void resume() {
    BrokerJvm.signal(process.pid(), "CONT");
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
