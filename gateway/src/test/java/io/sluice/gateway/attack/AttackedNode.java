package io.sluice.gateway.attack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.cli.TunedNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.testkit.ProcessTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Node started by the command line, with its metrics. Bound to one thread. */
final class AttackedNode implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Options that docs/how-to/security.md recommends for nodes on public networks. Other collectors
   * stop the node for ten milliseconds and more when thousands of clients connect at once. The heap
   * is allocated at start. On virtual machines whose host reclaims unused memory, new memory costs
   * more than all work of an attack.
   */
  private static final List<String> JAVA =
      List.of("-XX:+UseZGC", "-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");

  private static final long READY_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Child process;
  private final int port;
  private final String admin;

  private AttackedNode(Child process) {
    this.process = process;
    this.port = Integer.parseInt(process.await("Sluice listens at wss?://.*:(\\d+)/ws").group(1));
    this.admin = process.await("admin: (\\S+)/health/ready").group(1);
  }

  /** Starts the node. Returns when it is connected to its broker. */
  static AttackedNode start(Path folder, Config config) {
    Path file = folder.resolve("node.yaml");
    try {
      Files.writeString(file, yaml(config));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long handshakes = config.get(LimitSettings.HANDSHAKES);
    List<String> command =
        new ArrayList<>(TunedNode.command(JAVA, Map.of(LimitSettings.HANDSHAKES, handshakes)));
    command.addAll(List.of("run", "--config", file.toString()));
    Child process = Child.start(command);
    AttackedNode node = new AttackedNode(process);
    while (node.get("/health/ready").statusCode() != 200) {
      LockSupport.parkNanos(READY_NS);
    }
    return node;
  }

  // JSON is YAML, except that durations and sizes need a unit.
  private static String yaml(Config config) throws JsonProcessingException {
    StringBuilder yaml = new StringBuilder();
    for (Setting<?> setting : Settings.all()) {
      Object value = config.get(setting);
      if (value != null && !value.equals(setting.defaultValue())) {
        Object text = value instanceof Duration duration ? duration.toMillis() + "ms" : value;
        yaml.append(setting.key()).append(": ").append(JSON.writeValueAsString(text)).append('\n');
      }
    }
    return yaml.toString();
  }

  int port() {
    return port;
  }

  private HttpResponse<String> get(String path) {
    try {
      return HTTP.send(
          HttpRequest.newBuilder(URI.create(admin + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns all samples of its metrics. */
  Map<String, Double> metrics() {
    Map<String, Double> samples = new TreeMap<>();
    get("/metrics")
        .body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int blank = line.lastIndexOf(' ');
              samples.put(line.substring(0, blank), Double.parseDouble(line.substring(blank + 1)));
            });
    return samples;
  }

  /** Returns its processor time, in seconds. */
  double cpuSeconds() {
    return ProcessTime.cpuSeconds(process.pid());
  }

  /** Returns its memory in use, in MiB. */
  double residentMib() {
    return read("status")
        .lines()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElse(Double.NaN);
  }

  private String read(String name) {
    try {
      return Files.readString(Path.of("/proc", "" + process.pid(), name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs its garbage collector, so that its heap has objects in use only. */
  void collect() {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process collected;
    try {
      collected = new ProcessBuilder(jcmd, "" + process.pid(), "GC.run").start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    collected.onExit().join();
  }

  @Override
  public void close() {
    process.close();
  }
}
