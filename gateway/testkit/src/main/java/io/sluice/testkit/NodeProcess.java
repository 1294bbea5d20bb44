package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Node in a child process, with its own address. Bound to the test's thread. */
public final class NodeProcess implements AutoCloseable {
  /** Command that starts {@code bin/sluice}, with a launcher before it. */
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

  /** Listen ports of a node; 0: any free port. */
  public record Ports(int clients, int admin) {
    private static final Ports ANY = new Ports(0, 0);
  }

  /**
   * Starts a node, and returns when it is ready.
   *
   * @param folder folder for its configuration
   * @param settings YAML, without addresses and ports
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
   * @param launcher command that starts a program there
   * @param host its address
   * @param folder folder for its configuration
   * @param settings YAML, without addresses and ports
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

  /** Waits until the node is ready. */
  public void awaitReady() {
    SluiceProcess.awaitStatus(adminUrl("/health/ready"), 200);
  }

  /** Waits until the node is not ready. */
  public void awaitUnready() {
    SluiceProcess.awaitStatus(adminUrl("/health/ready"), 503);
  }

  private String adminUrl(String path) {
    return "http://" + host + ":" + adminPort + path;
  }

  /** Returns a request of a client's connection. */
  public RawWebSocket.Request request() {
    return RawWebSocket.to(host, port, "/ws");
  }

  /** Returns the address for clients, as host:port. */
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

  /** Returns the value of a sample; 0 if it does not exist. */
  public double metric(String sample) {
    return SluiceProcess.get(adminUrl("/metrics"))
        .body()
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  /** Kills the process. */
  public void kill() {
    process.sigkill();
    process.close();
  }

  /** Suspends the process (SIGSTOP): its connections remain open, but it does not respond. */
  public void pause() {
    process.signal("STOP");
  }

  /** Continues the process after {@link #pause}. */
  public void resume() {
    process.signal("CONT");
  }

  /** Limits the process to a part of its time during an action. */
  public void throttle(Runnable action) {
    Throttle.during(pid(), action);
  }

  public long pid() {
    return process.pid();
  }

  /** Stops the node gracefully and waits for its end. */
  public void stop() {
    process.sigterm();
    assertThat(process.exitCode()).isZero();
  }

  /** Restarts the node on the same ports and returns when it is ready. */
  public void restart() {
    begin();
    awaitReady();
  }

  /** Restarts the node on the same ports and returns when it listens. */
  public void begin() {
    launch(port, adminPort);
    process.awaitLine("Sluice listens at .*");
  }

  @Override
  public void close() {
    process.close();
  }
}
