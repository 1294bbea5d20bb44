package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One node, started by the command line, on an address of its own. Bound to the test's thread. */
public final class NodeProcess implements AutoCloseable {
  /** What starts {@code bin/sluice}, and that. */
  private final List<String> launcher;

  private final Path configuration;
  private final String host;
  private final int port;
  private final int adminPort;
  private SluiceProcess process;

  private NodeProcess(List<String> launcher, Path configuration, String host, Ports ports) {
    this.launcher = List.copyOf(launcher);
    this.configuration = configuration;
    this.host = host;
    launch(ports.clients(), ports.admin());
    port = port("Sluice listens at ws://" + host + ":(\\d+)/ws");
    adminPort = port("admin: http://" + host + ":(\\d+)/health/ready");
    awaitReady();
  }

  /** Where a node is to listen; 0 for any port. */
  public record Ports(int clients, int admin) {
    private static final Ports ANY = new Ports(0, 0);
  }

  /**
   * Starts a node, and returns when it is ready.
   *
   * @param folder where its configuration is written
   * @param settings YAML; not where it listens
   */
  public static NodeProcess start(Path folder, String settings) {
    return start(List.of(), Loopback.address(), Ports.ANY, folder, settings);
  }

  /** Starts a node by another program than bin/sluice, and returns when it is ready. */
  public static NodeProcess start(Path folder, String settings, List<String> program) {
    return start(List.of(), Loopback.address(), Ports.ANY, folder, settings, program);
  }

  /** Starts bin/sluice on another host, and returns when the node is ready. */
  public static NodeProcess start(
      List<String> launcher, String host, Ports ports, Path folder, String settings) {
    return start(launcher, host, ports, folder, settings, List.of("" + SluiceProcess.LAUNCHER));
  }

  /**
   * Starts a node on another host, and returns when it is ready.
   *
   * @param launcher what starts a program there
   * @param host its address
   * @param folder where its configuration is written
   * @param settings YAML; not where it listens
   * @param program command of the node, without arguments
   */
  public static NodeProcess start(
      List<String> launcher,
      String host,
      Ports ports,
      Path folder,
      String settings,
      List<String> program) {
    try {
      String listens =
          """
          server.host: %s
          server.allowed-origins: ['*']
          admin.host: %s
          publish.topics: ['>']
          """
              .formatted(host, host);
      Path configuration = Files.createTempFile(folder, "node", ".yaml");
      Files.writeString(configuration, listens + settings);
      List<String> all = new ArrayList<>(launcher);
      all.addAll(program);
      return new NodeProcess(all, configuration, host, ports);
    } catch (IOException e) {
      throw new AssertionError("the configuration can't be written", e);
    }
  }

  private void launch(int clients, int admin) {
    process =
        SluiceProcess.start(
            launcher,
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
  public void awaitReady() {
    SluiceProcess.awaitStatus(adminUrl("/health/ready"), 200);
  }

  private String adminUrl(String path) {
    return "http://" + host + ":" + adminPort + path;
  }

  /** Where clients connect, as host:port. */
  public String address() {
    return host + ":" + port;
  }

  public int port() {
    return port;
  }

  public int adminPort() {
    return adminPort;
  }

  public String host() {
    return host;
  }

  /** The value of one sample, 0 if there is none. */
  public double metric(String sample) {
    return SluiceProcess.get(adminUrl("/metrics"))
        .body()
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  /** Ends it without a farewell. */
  public void kill() {
    process.sigkill();
    process.close();
  }

  /** Stops it where it stands: its connections stay, and it answers nobody. */
  public void pause() {
    process.signal("STOP");
  }

  /** Lets it go on after {@link #pause}. */
  public void resume() {
    process.signal("CONT");
  }

  public long pid() {
    return process.pid();
  }

  /** Has it send its clients away and end. */
  public void stop() {
    process.sigterm();
    assertThat(process.exitCode()).isZero();
  }

  /** Starts it again, where it was, and returns when it is ready. */
  public void restart() {
    begin();
    awaitReady();
  }

  /** Starts it again, where it was, and returns when clients may come. */
  public void begin() {
    launch(port, adminPort);
    process.awaitLine("Sluice listens at .*");
  }

  @Override
  public void close() {
    process.close();
  }
}
