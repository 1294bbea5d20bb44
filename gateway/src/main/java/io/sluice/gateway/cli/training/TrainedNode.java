package io.sluice.gateway.cli.training;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Node in a child process whose virtual machine writes an AOT cache when it ends; on Java before 25
 * a dynamic archive of class data. Confined to the main thread, except {@link #close}.
 */
public final class TrainedNode implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  /** The virtual machine needs most of this time to write the cache. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(180);

  private static final Duration CHECK_LIMIT = Duration.ofSeconds(60);

  /** First line of Java when it writes a cache, which it does also after a failed start. */
  private static final String CREATION = "Temporary AOTConfiguration recorded";

  private static final Pattern ADDRESS =
      Pattern.compile("(Sluice listens at|admin:) \\w+://127\\.0\\.0\\.1:(\\d+)/.*");

  private final AotCacheFile file;
  private final ChildJvm process;
  private final CompletableFuture<Integer> port;
  private final CompletableFuture<Integer> adminPort;

  private TrainedNode(AotCacheFile file, Path configuration) throws IOException {
    this.file = file;
    this.port = new CompletableFuture<>();
    this.adminPort = new CompletableFuture<>();
    this.process =
        ChildJvm.start(
            "the trained node",
            List.of(hasAotCache() ? output("AOTCacheOutput") : output("ArchiveClassesAtExit")),
            List.of("run", "--config", configuration.toString()),
            this::onLine);
    process.handle().onExit().thenRun(this::onEnd);
  }

  /**
   * Starts the process. Its ports are known later.
   *
   * @param broker URL of the broker
   */
  public static TrainedNode start(AotCacheFile file, TrainingLoad load, String broker)
      throws IOException {
    Path configuration = file.folder().resolve("sluice.yaml");
    Files.writeString(configuration, configuration(broker, load));
    return new TrainedNode(file, configuration);
  }

  private static boolean hasAotCache() {
    return Runtime.version().feature() >= 25;
  }

  private String output(String option) {
    return "-XX:" + option + "=" + file.unpublished();
  }

  private static String configuration(String broker, TrainingLoad load) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(
        """
        node.name: aot-cache
        broker.url: "%s"
        server: {host: 127.0.0.1, port: 0}
        auth.anonymous: true
        publish: {topics: ["%s>"], persistent: false}
        timeouts.drain: 1s
        limits:
          publish-rate: 1000000
          per-address:
            {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0, publish-rate: 0}\
        """
            .formatted(broker, TrainingLoad.TOPICS));
    int free = freePort();
    lines.add(
        "cluster: {name: aot-cache, host: 127.0.0.1, port: %d, nodes: [\"127.0.0.1:%d\"]}"
            .formatted(free, free));
    lines.add("admin:\n  host: 127.0.0.1\n  port: 0");
    load.certificate()
        .ifPresent(
            pair ->
                lines.add(
                    "  tls: {certificate: \"%s\", key: \"%s\"}"
                        .formatted(pair.certificate(), pair.key())));
    return String.join("\n", lines) + "\n";
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return free.getLocalPort();
    }
  }

  private void onLine(String line) {
    if (line.startsWith(CREATION)) {
      onEnd();
    }
    Matcher address = ADDRESS.matcher(line);
    if (address.matches()) {
      int number = Integer.parseInt(address.group(2));
      (address.group(1).equals("admin:") ? adminPort : port).complete(number);
    }
  }

  /** Fails the start if the node has not started yet. */
  private void onEnd() {
    IOException ended = new IOException("the process ended");
    port.completeExceptionally(ended);
    adminPort.completeExceptionally(ended);
  }

  /** Returns once the node listens. */
  public void awaitReady() throws IOException, InterruptedException {
    try {
      CompletableFuture.allOf(port, adminPort).get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      process.close();
      process.awaitEnd(CHECK_LIMIT);
      throw process.failure("did not start", e);
    } catch (TimeoutException e) {
      throw process.failure("was not ready within " + START_LIMIT.toSeconds() + " s", e);
    }
  }

  int port() {
    return port.join();
  }

  int adminPort() {
    return adminPort.join();
  }

  /**
   * Stops the node, whose virtual machine then writes the cache, and checks that Java accepts it.
   *
   * @throws IOException with the last lines of output if there is no usable cache
   */
  public void writeCache() throws IOException, InterruptedException {
    process.handle().destroy();
    int code = process.awaitEnd(STOP_LIMIT);
    if (code != 0 || !Files.isRegularFile(file.unpublished())) {
      throw process.failure("wrote no cache (exit code " + code + ")", null);
    }
    List<String> options =
        hasAotCache()
            ? List.of("-XX:AOTMode=on", output("AOTCache"))
            : List.of("-Xshare:on", output("SharedArchiveFile"));
    try (ChildJvm check =
        ChildJvm.start("Java with the new cache", options, List.of("--version"), line -> {})) {
      if (check.awaitEnd(CHECK_LIMIT) != 0) {
        throw check.failure("did not start", null);
      }
    }
  }

  /** Returns a failure of the load, with the last lines of the node's output. */
  IOException failure(Throwable cause) {
    return process.failure("did not accept the load (" + cause.getMessage() + ")", cause);
  }

  /** Kills the process if it is still running. */
  @Override
  public void close() {
    process.close();
  }
}
