package io.sluice.gateway.attack;

import io.sluice.gateway.cli.TunedNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.testkit.ProcessTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Node started by the command line, with its metrics. Bound to one thread. */
final class AttackedNode implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

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
  private final Path file;
  private final int port;
  private final String admin;

  private AttackedNode(Child process, Path file) {
    this.file = file;
    this.process = process;
    this.port = Integer.parseInt(process.await("Sluice listens at wss?://.*:(\\d+)/ws").group(1));
    this.admin = process.await("admin: (\\S+)/health/ready").group(1);
  }

  /** Starts the node. Returns when it is connected to its broker. */
  static AttackedNode start(Path folder, Config config) {
    Path file = folder.resolve("node.yaml");
    NodeFile.write(file, config);
    long handshakes = config.get(LimitSettings.HANDSHAKES);
    List<String> command =
        new ArrayList<>(TunedNode.command(JAVA, Map.of(LimitSettings.HANDSHAKES, handshakes)));
    command.addAll(List.of("run", "--config", file.toString()));
    Child process = Child.start(command);
    AttackedNode node = new AttackedNode(process, file);
    while (node.get("/health/ready").statusCode() != 200) {
      LockSupport.parkNanos(READY_NS);
    }
    return node;
  }

  int port() {
    return port;
  }

  /** Replaces its configuration file and reloads it. */
  void reload(Config config) {
    NodeFile.write(file, config);
    HttpResponse<String> answer =
        send(request("/reload").POST(HttpRequest.BodyPublishers.noBody()).build());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException("no reload: " + answer.body());
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(admin + path));
  }

  private HttpResponse<String> get(String path) {
    return send(request(path).build());
  }

  private static HttpResponse<String> send(HttpRequest request) {
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
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
