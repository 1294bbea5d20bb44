package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** One node, started by the command line, on an address of its own. Bound to the test's thread. */
final class NodeProcess implements AutoCloseable {
  private final Path configuration;
  private final String host;
  private final int port;
  private final int adminPort;
  private SluiceProcess process;

  private NodeProcess(Path configuration, String host) {
    this.configuration = configuration;
    this.host = host;
    launch(0, 0);
    port = port("Sluice listens at ws://" + host + ":(\\d+)/ws");
    adminPort = port("admin: http://" + host + ":(\\d+)/health/ready");
    awaitReady();
  }

  /**
   * Starts a node, and returns when it is ready.
   *
   * @param folder where its configuration is written
   * @param settings YAML; not where it listens
   */
  static NodeProcess start(Path folder, String settings) {
    try {
      String host = Loopback.address();
      String listens = "server.host: %s\nadmin.host: %s\n".formatted(host, host);
      Path configuration = Files.createTempFile(folder, "node", ".yaml");
      return new NodeProcess(Files.writeString(configuration, listens + settings), host);
    } catch (IOException e) {
      throw new AssertionError("the configuration can't be written", e);
    }
  }

  private void launch(int clients, int admin) {
    process =
        SluiceProcess.start(
            "run",
            "--anonymous",
            "--config",
            configuration.toString(),
            "--port",
            String.valueOf(clients),
            "--admin-port",
            String.valueOf(admin));
  }

  private int port(String line) {
    return Integer.parseInt(process.awaitLine(line).group(1));
  }

  /** Returns when it has its broker and everything that it wants from it. */
  void awaitReady() {
    SluiceProcess.awaitStatus(adminUrl("/health/ready"), 200);
  }

  private String adminUrl(String path) {
    return "http://" + host + ":" + adminPort + path;
  }

  /** Where clients connect, as host:port. */
  String address() {
    return host + ":" + port;
  }

  int port() {
    return port;
  }

  int adminPort() {
    return adminPort;
  }

  String host() {
    return host;
  }

  /** The value of one sample, 0 if there is none. */
  double metric(String sample) {
    return SluiceProcess.get(adminUrl("/metrics"))
        .body()
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  /** Ends it without a farewell. */
  void kill() {
    process.sigkill();
    process.close();
  }

  /** Has it send its clients away and end. */
  void stop() {
    process.sigterm();
    assertThat(process.exitCode()).isZero();
  }

  /** Starts it again, where it was, and returns when it is ready. */
  void restart() {
    begin();
    awaitReady();
  }

  /** Starts it again, where it was, and returns when clients may come. */
  void begin() {
    launch(port, adminPort);
    process.awaitLine("Sluice listens at .*");
  }

  @Override
  public void close() {
    process.close();
  }
}
