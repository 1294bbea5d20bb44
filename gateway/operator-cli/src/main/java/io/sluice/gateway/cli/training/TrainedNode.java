package io.sluice.gateway.cli.training;

import io.sluice.gateway.cli.command.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Node in a child process whose virtual machine writes an AOT cache when it ends; on Java before 25
 * a dynamic archive of class data. Confined to the main thread, except {@link #close}.
 */
public final class TrainedNode implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final long POLL_MS = 20;

  /** The virtual machine needs most of this time to write the cache. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(180);

  private static final Duration CHECK_LIMIT = Duration.ofSeconds(60);

  /** First line of Java when it writes a cache, which it does also after a failed start. */
  private static final String CREATION = "Temporary AOTConfiguration recorded";

  private static final Pattern ADDRESSES =
      Pattern.compile(
          "(?s).*Sluice listens at \\w+://127\\.0\\.0\\.1:(\\d+)/"
              + ".*admin: \\w+://127\\.0\\.0\\.1:(\\d+)/.*");

  private final AotCacheFile file;
  private final boolean tls;
  private final ChildJvm process;
  private int port;
  private int adminPort;

  /**
   * Starts the process.
   *
   * @param broker URL of the broker
   */
  public TrainedNode(AotCacheFile file, String broker) throws IOException, InterruptedException {
    this.file = file;
    Optional<TrainingCertificate> certificate = TrainingCertificate.create(file.folder());
    this.tls = certificate.isPresent();
    Path configuration = file.folder().resolve("sluice.yaml");
    Files.writeString(configuration, configuration(broker, certificate));
    this.process =
        new ChildJvm(
            "the trained node",
            file.folder().resolve("node.log"),
            List.of(hasAotCache() ? output("AOTCacheOutput") : output("ArchiveClassesAtExit")),
            List.of("run", "--config", configuration.toString()));
  }

  private static boolean hasAotCache() {
    return Runtime.version().feature() >= 25;
  }

  private String output(String option) {
    return "-XX:" + option + "=" + file.unpublished();
  }

  private static String configuration(String broker, Optional<TrainingCertificate> certificate)
      throws IOException {
    int free = Ports.free();
    return """
    node.name: aot-cache
    broker.url: "%s"
    server: {host: 127.0.0.1, port: 0}
    auth.anonymous: true
    publish: {topics: ["%s>"], persistent: false}
    timeouts.drain: 1s
    limits:
      publish-rate: 1000000
      per-address:
        {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0, publish-rate: 0}
    cluster: {name: aot-cache, host: 127.0.0.1, port: %d, nodes: ["127.0.0.1:%d"]}
    admin: {host: 127.0.0.1, port: 0%s}
    """
        .formatted(broker, TrainingLoad.TOPICS, free, free, tls(certificate));
  }

  private static String tls(Optional<TrainingCertificate> certificate) {
    return certificate
        .map(
            pair ->
                ", tls: {certificate: \"%s\", key: \"%s\"}"
                    .formatted(pair.certificate(), pair.key()))
        .orElse("");
  }

  /** Returns once the node listens. */
  public void awaitReady() throws IOException, InterruptedException {
    long limitNs = System.nanoTime() + START_LIMIT.toNanos();
    Matcher addresses = ADDRESSES.matcher(process.output());
    while (!addresses.matches()) {
      if (!process.isAlive() || process.output().contains(CREATION)) {
        process.close();
        throw process.failure("did not start", null);
      }
      if (System.nanoTime() > limitNs) {
        throw process.failure("was not ready within " + START_LIMIT.toSeconds() + " s", null);
      }
      Thread.sleep(POLL_MS);
      addresses = ADDRESSES.matcher(process.output());
    }
    port = Integer.parseInt(addresses.group(1));
    adminPort = Integer.parseInt(addresses.group(2));
  }

  int port() {
    return port;
  }

  int adminPort() {
    return adminPort;
  }

  /** Returns whether the admin port requires TLS. */
  boolean hasTls() {
    return tls;
  }

  /**
   * Stops the node, whose virtual machine then writes the cache, and checks that Java accepts it.
   *
   * @throws IOException with the last lines of output if there is no usable cache
   */
  public void writeCache() throws IOException, InterruptedException {
    process.terminate();
    int code = process.awaitEnd(STOP_LIMIT);
    if (code != 0 || !Files.isRegularFile(file.unpublished())) {
      throw process.failure("wrote no cache (exit code " + code + ")", null);
    }
    List<String> options =
        hasAotCache()
            ? List.of("-XX:AOTMode=on", output("AOTCache"))
            : List.of("-Xshare:on", output("SharedArchiveFile"));
    Path log = file.folder().resolve("check.log");
    try (ChildJvm check =
        new ChildJvm("Java with the new cache", log, options, List.of("--version"))) {
      if (check.awaitEnd(CHECK_LIMIT) != 0) {
        throw check.failure("did not start", null);
      }
    }
  }

  /** Returns a failure of the load, with the last lines of the node's output. */
  IOException failure(Throwable cause) throws IOException {
    return process.failure("did not accept the load (" + cause.getMessage() + ")", cause);
  }

  /** Kills the process if it is still running. */
  @Override
  public void close() {
    process.close();
  }
}
